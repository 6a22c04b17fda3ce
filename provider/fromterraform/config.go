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

// setConfig sets the secrets that the state has, unless the stack has them.
func setConfig(ctx context.Context, cli pulumi, all []Secret, say io.Writer) error {
	text, err := cli.run(ctx, "", "config", "--json")
	if err != nil {
		return err
	}
	set := map[string]any{}
	if err := json.Unmarshal(text, &set); err != nil {
		return errors.New("pulumi config --json: is not JSON")
	}
	has := map[string]bool{}
	for key := range set {
		has[key[strings.LastIndexByte(key, ':')+1:]] = true
	}
	missing := 0
	for _, s := range all {
		switch {
		case has[s.Key]:
			fmt.Fprintf(say, "kept: %s, which is set already\n", s.Key)
		case s.Value == "":
			fmt.Fprintf(say, "to be set by you: %s, %s\n  %s\n", s.Key, line(s.What), line(s.From))
			missing++
		default:
			// pulumi takes one line break away.
			if _, err := cli.run(ctx, s.Value+"\n", "config", "set", "--secret", s.Key); err != nil {
				return err
			}
			fmt.Fprintf(say, "set: %s, of %s\n", s.Key, line(s.From))
		}
	}
	if missing > 0 {
		fmt.Fprintf(say, "Not in the state, and yours to set: %d\n", missing)
	}
	return nil
}
