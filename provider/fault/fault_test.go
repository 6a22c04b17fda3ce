package fault_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

func TestTextShowsNothingOfThePanic(t *testing.T) {
	t.Parallel()
	err := fault.Do(func() error { panic("no such user: hunter2") })
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
	assert.Contains(t, err.Error(), fault.Reports)
	found, is := fault.In(fmt.Errorf("step: %w", err))
	require.True(t, is)
	detail := found.Detail(func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") })
	assert.NotContains(t, detail, "hunter2")
	assert.True(t, strings.HasPrefix(strings.SplitN(detail, "\n", 3)[1], "github.com/pulumi-quorum/pulumi-quorum/provider/fault_test."), "the innermost function first: %s", detail)
	require.NoError(t, fault.Do(func() error { return nil }))
	failed := errors.New("failed")
	assert.Equal(t, failed, fault.Do(func() error { return failed }))
}

// TestApply would end the process of the tests if a panic were not recovered.
func TestApply(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		in := pulumi.String("x").ToStringOutput()
		ctx.Export("fine", fault.Apply(in, func(s string) string { return s + s }).(pulumi.StringOutput).ApplyT(func(s string) string {
			assert.Equal(t, "xx", s)
			return s
		}))
		var none []string
		ctx.Export("panics", fault.Apply(in, func(string) string { return none[0] }))
		return nil
	}, pulumi.WithMocks("project", "stack", mocks{}))
	_, is := fault.In(err)
	assert.True(t, is, err)
	err = pulumi.RunErr(func(ctx *pulumi.Context) error {
		ctx.Export("fails", fault.Try(pulumi.String("x").ToStringOutput(), func(string) (string, error) { return "", failed }))
		return nil
	}, pulumi.WithMocks("project", "stack", mocks{}))
	require.ErrorIs(t, err, failed)
}

type mocks struct{ pulumi.MockResourceMonitor }

func TestGroupPanicsWhereItIsWaitedFor(t *testing.T) {
	t.Parallel()
	done := 0
	err := fault.Do(func() error {
		var all fault.Group
		all.Go(func() { panic("one") })
		all.Go(func() { done++ })
		all.Wait()
		return errors.New("not reached")
	})
	found, is := fault.In(err)
	require.True(t, is, err)
	assert.Equal(t, 1, done)
	assert.Contains(t, found.Detail(func(s string) string { return s }), "panic: one\n", "as the goroutine said it")
}

// TestNothingRunsUnguarded finds calls in goroutines of their own, where a
// panic ends the process, that do not go by way of this package.
func TestNothingRunsUnguarded(t *testing.T) {
	t.Parallel()
	files := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "../fault" {
			return err
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if called, is := n.(*ast.SelectorExpr); is {
				assert.NotContains(t, []string{"ApplyT", "ApplyTWithContext"}, called.Sel.Name, "%s: use fault.Apply or fault.Try", path)
				of, _ := called.X.(*ast.Ident)
				assert.False(t, of != nil && of.Name == "sync" && called.Sel.Name == "WaitGroup", "%s: use fault.Group", path)
			}
			return true
		})
		return nil
	}))
	assert.Greater(t, files, 50)
}
