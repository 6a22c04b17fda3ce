// Package fromterraform makes a program of what the Terraform modules made: the command
// `pulumi-resource-quorum from-terraform`.
//
// A state has Resources. Those that are Machines come with the Documents that cloud-init
// was given, by which it is known what runs on them. What belongs together becomes one
// resource of a Program, whose machines are external. Secrets are in no program: it names
// keys of the stack's configuration. Nothing here changes a machine, a state or a cluster.
package fromterraform

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

const usage = `usage: pulumi-resource-quorum from-terraform [--name PROJECT] [--out DIR] STATE...
       pulumi-resource-quorum from-terraform --set-config [--stack STACK] STATE...

Makes a Pulumi program in YAML of what the five Terraform modules made. STATE is a
terraform.tfstate of version 4, or what "terraform show -json" prints; - is standard input.
Several become one program.

Without --set-config it prints the program, or writes it to DIR/Pulumi.yaml, and says which
secrets the program needs. They are not in it. With --set-config it reads the same states
again, and has pulumi encrypt these secrets into the configuration of the stack in the
current directory. What is set already stays as it is. Nothing else is changed by either.

`

// options are what the command is told.
type options struct {
	name, out, stack string
	set              bool
	states           []string
}

// Main runs the command, and returns its exit code.
func Main(ctx context.Context, args []string, in io.Reader, out, say io.Writer) int {
	var o options
	flags := flag.NewFlagSet("from-terraform", flag.ContinueOnError)
	flags.SetOutput(say)
	flags.Usage = func() { fmt.Fprint(say, usage); flags.PrintDefaults() }
	flags.StringVar(&o.name, "name", "from-terraform", "`name` of the project")
	flags.StringVar(&o.out, "out", "", "write Pulumi.yaml into this `directory`, where there must be none")
	flags.BoolVar(&o.set, "set-config", false, "set the secrets of the stack in the current directory")
	flags.StringVar(&o.stack, "stack", "", "`name` of the stack, with --set-config; the selected one by default")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	o.states = flags.Args()
	if i := slices.IndexFunc(o.states, func(s string) bool { return strings.HasPrefix(s, "-") && s != "-" }); i >= 0 {
		fmt.Fprintf(say, "%s: flags come before the states\n", line(o.states[i]))
		return 2
	}
	if !check.Matches(`[A-Za-z0-9_.-]{1,100}`, o.name) || strings.Trim(o.name, ".") == "" {
		fmt.Fprintln(say, "--name: must be 1 to 100 of letters, digits, _ . -, as Pulumi's projects are named")
		return 2
	}
	if len(o.states) == 0 || o.set && o.out != "" || !o.set && o.stack != "" {
		flags.Usage()
		return 2
	}
	if err := o.run(ctx, in, out, say); err != nil {
		fmt.Fprintln(say, "from-terraform:", err)
		return 1
	}
	return 0
}

func (o options) run(ctx context.Context, in io.Reader, out, say io.Writer) error {
	all, err := readAll(o.states, in)
	if err != nil {
		return err
	}
	made, err := Convert(o.name, all)
	if err != nil {
		for _, problem := range made.Problems {
			fmt.Fprintln(say, "-", line(problem))
		}
		return err
	}
	if o.set {
		return setConfig(ctx, pulumi{stack: o.stack}, made.Secrets, say)
	}
	if o.out == "" {
		_, err = out.Write(made.Text)
	} else {
		err = write(o.out, made.Text)
	}
	if err == nil {
		report(say, made, o)
	}
	return err
}

// readAll reads states. With several, addresses say which one they are in.
func readAll(names []string, in io.Reader) (all []Resource, err error) {
	for _, name := range names {
		var resources []Resource
		if name == "-" {
			resources, err = Read(in)
		} else {
			resources, err = readFile(name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %w", line(name), err)
		}
		if i := slices.IndexFunc(all, func(other Resource) bool { return other.State == resources[0].State }); i >= 0 {
			return nil, fmt.Errorf("%s and %s are the same state, or one and a copy of it, by their lineage: give one of them", line(all[i].File), line(name))
		}
		for _, r := range resources {
			if len(names) > 1 { // of two states, nothing says that they have the same hypervisor
				r.File, r.Address, r.Module, r.Provider = name, name+": "+r.Address, name+": "+r.Module, name+": "+r.Provider
			}
			all = append(all, r)
		}
	}
	// Not in the order of their names, so that other names of the same states make the same program.
	slices.SortStableFunc(all, func(a, b Resource) int { return strings.Compare(a.State, b.State) })
	return all, nil
}

func readFile(name string) ([]Resource, error) {
	file, err := os.Open(name)
	if err == nil {
		defer file.Close()
		if info, bad := file.Stat(); bad == nil && info.IsDir() {
			return nil, errors.New("is a directory")
		}
		return Read(file)
	}
	return nil, fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
}

// write makes a new file, and never changes one.
func write(dir string, text []byte) error {
	name := filepath.Join(dir, "Pulumi.yaml")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, other := range []string{"Pulumi.yml", "Pulumi.json"} {
		if _, err := os.Lstat(filepath.Join(dir, other)); err == nil {
			return fmt.Errorf("%s is there already: a directory has one program", filepath.Join(dir, other))
		}
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o640)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already, and is not overwritten", name)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
