package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLookups finds each path by which the code of a component looks up inputs among
// the inputs of that component: where a path had a mistake, the look-up would panic, or
// take it that nothing there is unknown, and the input would do nothing.
func TestLookups(t *testing.T) {
	t.Parallel()
	all := slices.Concat(components, clusters, []component{securityGroups})
	for dir, of := range map[string]struct {
		components []component
		below      string
		least      int // look-ups, so that none escapes by another spelling
	}{
		"etcd":              {[]component{etcdServer, etcdCluster, securityGroups}, "", 20},
		"postgres":          {[]component{postgresServer, postgresLoadBalancer, postgresCluster}, "", 36},
		"dns":               {[]component{corednsServer}, "", 1},
		"server":            {all, "", 19},
		"machine/libvirt":   {all, "libvirt.", 29},
		"machine/openstack": {all, "openstack.", 28},
	} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			var specs []schema.PackageSpec
			for _, c := range of.components {
				specs = append(specs, c.schema(t))
			}
			found := lookupsIn(t, dir)
			for _, path := range found {
				assert.Truef(t, slices.ContainsFunc(specs, func(spec schema.PackageSpec) bool {
					return resolves(spec, schema.TypeSpec{Ref: "#/types/inputs"}, stepsOf(of.below+path), false)
				}), "no component has the input %q", of.below+path)
			}
			assert.GreaterOrEqual(t, len(found), of.least)
		})
	}
}

// lookupsIn are the paths that are written out in the code of a package.
func lookupsIn(t *testing.T, dir string) (paths []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			for _, e := range lookedUp(node) {
				if path, whole := written(e); whole {
					paths = append(paths, path)
				}
			}
			return true
		})
	}
	return paths
}

// lookedUp are the paths at a node: those that a method of inputs gets, that make a part
// of them, or that name an input which is made.
func lookedUp(node ast.Node) []ast.Expr {
	switch node := node.(type) {
	case *ast.CallExpr:
		f, is := node.Fun.(*ast.SelectorExpr)
		if !is {
			return nil
		}
		of, _ := f.X.(*ast.Ident)
		if field, is := f.X.(*ast.SelectorExpr); is {
			of = field.Sel
		}
		switch f.Sel.Name {
		case "String", "Int", "Bool", "Strings", "RequiredString", "RequiredInt", "Known", "Present", "Given":
			if of != nil && (of.Name == "in" || of.Name == "Inputs") {
				return node.Args
			}
		case "Only", "AllBut":
			return node.Args
		}
	case *ast.ValueSpec: // lists for Only and AllBut
		for i, name := range node.Names {
			if strings.EqualFold(name.Name, "notOnTheMachine") || strings.EqualFold(name.Name, "onFreshMachines") {
				return elementsOf(valueOf(node, i))
			}
		}
	case *ast.AssignStmt: // made["certificate.domains"] = ...
		if to, is := node.Lhs[0].(*ast.IndexExpr); is {
			if of, is := to.X.(*ast.Ident); is && of.Name == "made" {
				return []ast.Expr{to.Index}
			}
		}
	}
	return nil
}

// elementsOf are those of the lists that are written out in e.
func elementsOf(e ast.Expr) (all []ast.Expr) {
	ast.Inspect(e, func(node ast.Node) bool {
		if list, is := node.(*ast.CompositeLit); is {
			all = append(all, list.Elts...)
		}
		return true
	})
	return all
}

func valueOf(s *ast.ValueSpec, i int) ast.Expr {
	if i < len(s.Values) {
		return s.Values[i]
	}
	return nil
}

// written is a path that is text, or check.Index of such a path, or both in a row.
func written(e ast.Expr) (path string, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		path, err := strconv.Unquote(e.Value)
		return path, err == nil
	case *ast.BinaryExpr:
		left, isLeft := written(e.X)
		right, isRight := written(e.Y)
		return left + right, isLeft && isRight
	case *ast.CallExpr:
		if f, is := e.Fun.(*ast.SelectorExpr); is && f.Sel.Name == "Index" && len(e.Args) > 0 {
			list, whole := written(e.Args[0])
			return list + "[0]", whole
		}
	}
	return "", false
}
