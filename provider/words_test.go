package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/change"
	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
)

// TestChangesAreToldByInputsOfThePrograms finds each path by which what a component makes refuses a change. Who reads that
// has written the inputs of the component: a path is one of these, or is left out.
func TestChangesAreToldByInputsOfThePrograms(t *testing.T) {
	t.Parallel()
	for file, of := range map[string]struct {
		worded    inputs.Worded
		component component
		paths     int // so that none escapes by another spelling
	}{
		"etcd/admin/health_validate.go":   {admin.Health{}, etcdCluster, 9},
		"postgres/health/plan.go":         {health.Health{}, postgresCluster, 9},
		"postgres/health/upgrade_plan.go": {health.Health{}, postgresCluster, 4},
		"change/data.go":                  {change.Data{}, etcdServer, 1},
		"change/smaller.go":               {change.Machine{}, etcdServer, 1},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			paths := pathsIn(t, file, "ValidateChange", "losses", "upgrades")
			assert.Len(t, paths, of.paths)
			spec := of.component.schema(t)
			child := urn.New("s", "p", tokens.Type("quorum:index:"+of.component.kind), "quorum:index:Child", "main")
			for _, path := range paths {
				told := of.worded.InProgram(child, check.Problem{Path: path, Reason: "must be otherwise"}).Path
				assert.True(t, told == "" || resolves(spec, schema.TypeSpec{Ref: "#/types/inputs"}, stepsOf(told), false), "%s is told as %s", path, told)
			}
		})
	}
	theirs := urn.New("s", "p", "acme:index:DbCluster", "quorum:index:PostgresHealth", "mine")
	assert.Equal(t, "plan.version", health.Health{}.InProgram(theirs, check.Problem{Path: "plan.version"}).Path, "a component of the program has other inputs")
	problem := check.Problem{Path: "plan.version", Reason: "must stay 16"}
	alone := urn.New("s", "p", "", "quorum:index:PostgresHealth", "mine")
	assert.Equal(t, problem, health.Health{}.InProgram(alone, problem), "a program's own gate has these inputs")
}

// pathsIn are the paths of problems that functions of a file add.
func pathsIn(t *testing.T, file string, functions ...string) (paths []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	for _, one := range parsed.Decls {
		f, is := one.(*ast.FuncDecl)
		if !is || !slices.Contains(functions, f.Name.Name) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			if to, is := call.Fun.(*ast.SelectorExpr); is && slices.Contains([]string{"Add", "Check"}, to.Sel.Name) {
				paths = append(paths, pathOf(t, call.Args[0]))
			}
			return true
		})
	}
	return paths
}

// pathOf is a path as it is written: a text, or check.Index("members", i)+".ip".
func pathOf(t *testing.T, of ast.Expr) string {
	t.Helper()
	switch e := of.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		require.NoError(t, err)
		return text
	case *ast.BinaryExpr:
		return pathOf(t, e.X) + pathOf(t, e.Y)
	case *ast.CallExpr:
		return pathOf(t, e.Args[0]) + "[0]"
	}
	require.Fail(t, "a path that is written otherwise")
	return ""
}
