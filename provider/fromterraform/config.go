package fromterraform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// pulumi is the CLI, in the directory of a project.
type pulumi struct{ dir, stack string }

// run runs it with what it reads from standard input: no value is among its arguments,
// which others on the host can see.
func (p pulumi) run(ctx context.Context, in string, args ...string) ([]byte, error) {
	if p.stack != "" {
		args = append(args, "--stack", p.stack)
	}
	cmd := exec.CommandContext(ctx, "pulumi", append(args, "--non-interactive")...)
	var out, problems bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.dir, strings.NewReader(in), &out, &problems
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("pulumi, the CLI, is not on the PATH")
	}
	if err != nil {
		said := strings.TrimSpace(problems.String())
		if value := strings.TrimSpace(in); value != "" {
			said = strings.ReplaceAll(said, value, "[secret]")
		}
		return nil, fmt.Errorf("pulumi %s: %s", args[0]+" "+args[1], line(orElse(said, err.Error())))
	}
	return out.Bytes(), nil
}

// setConfig sets the secrets of the program that is there, from where in the states it
// notes that they are, unless the stack has them. If one of these is not in the states,
// nothing is set.
func setConfig(ctx context.Context, cli pulumi, all []Secret, say io.Writer) error {
	program, err := readProject(cli.dir)
	if err != nil {
		return err
	}
	text, err := cli.run(ctx, "", "config", "--json")
	if err != nil {
		return err
	}
	has := map[string]any{}
	if err := json.Unmarshal(text, &has); err != nil {
		return errors.New("pulumi config --json: is not JSON")
	}
	values := map[string]string{}
	for _, s := range all {
		if s.Source != "" {
			values[s.Source] = s.Value
		}
	}
	isSet := func(d declared) bool { _, is := has[program.name+":"+d.key]; return is }
	for _, d := range program.keys {
		if strings.HasPrefix(d.source, origin) && d.secret && values[d.source] == "" && !isSet(d) {
			return fmt.Errorf("%s is of %s, which is not in what was given: nothing is set. Give the states that this program was made of, or set it yourself", line(d.key), line(d.source))
		}
	}
	missing := 0
	for _, d := range program.keys {
		switch {
		case isSet(d):
			fmt.Fprintf(say, "kept: %s, which is set already\n", line(d.key))
		case !d.secret || values[d.source] == "":
			fmt.Fprintf(say, "to be set by you: %s\n  %s\n", line(d.key), line(d.source))
			missing++
		default:
			// pulumi takes one line break away.
			if _, err := cli.run(ctx, values[d.source]+"\n", "config", "set", "--secret", d.key); err != nil {
				return err
			}
			fmt.Fprintf(say, "set: %s, of %s\n", line(d.key), line(d.source))
		}
	}
	if missing > 0 {
		fmt.Fprintf(say, "Not in the state, and yours to set: %d\n", missing)
	}
	return nil
}
