package engine

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// Result is what one command of the engine did.
type Result struct {
	Stdout, Stderr string
	Err            error
	Duration       time.Duration
	Changes        map[string]int // number of resources by operation; none when it failed early
	Steps          []Step         // in the order in which they began
	Diagnostics    string         // warnings and errors, with the resource they are about
	Events         []byte         // the event log
}

// Step is one operation on one resource, other than leaving it as it is.
type Step struct {
	Op     string // create, update, delete, replace, create-replacement, delete-replaced, ...
	Type   string // libvirt:index/domain:Domain
	Name   string // from the URN
	URN    string
	Keys   []string // inputs that differ
	Failed bool
	Done   bool // false when the engine stopped before its end, and in previews
}

// String is how tests compare steps: "update libvirt:index/domain:Domain a".
func (s Step) String() string { return s.Op + " " + s.Type + " " + s.Name }

// Unchanged tells whether there was nothing to do.
func (r Result) Unchanged() bool { return len(r.Steps) == 0 }

// Ops lists the steps on resources whose type ends so ("Domain"), or on all.
func (r Result) Ops(typeSuffix string) []string {
	var ops []string
	for _, step := range r.Steps {
		if strings.HasSuffix(step.Type, typeSuffix) {
			ops = append(ops, step.Op+" "+step.Name)
		}
	}
	return ops
}

// Changed says what happens to which types, each once: "replace CloudInitDisk,
// update Domain". It names neither the halves of a replacement nor providers.
func (r Result) Changed() string {
	var all []string
	for _, step := range r.Steps {
		half := step.Op == "create-replacement" || step.Op == "delete-replaced"
		if !half && !strings.HasPrefix(step.Type, "pulumi:providers:") {
			all = append(all, step.Op+" "+step.Type[strings.LastIndex(step.Type, ":")+1:])
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// Step finds the operation on a resource by the end of its type and its name.
func (r Result) Step(op, typeSuffix, name string) (Step, bool) {
	for _, step := range r.Steps {
		if step.Op == op && step.Name == name && strings.HasSuffix(step.Type, typeSuffix) {
			return step, true
		}
	}
	return Step{}, false
}

func (r *Result) readEvents(path string) error {
	return (&eventLog{path: path}).follow(r)
}

// eventLog is a file that the CLI writes, a line for each event.
type eventLog struct {
	path string
	read int64 // bytes so far
}

// follow adds what has come since the last time to r.
func (l *eventLog) follow(r *Result) error {
	file, err := os.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("the CLI stopped before the engine began")
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(l.read, io.SeekStart); err != nil {
		return err
	}
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // the last one is being written
			return nil
		}
		if err != nil {
			return err
		}
		var e apitype.EngineEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		r.add(e)
		r.Events = append(r.Events, line...)
		l.read += int64(len(line))
	}
}

func (r *Result) add(e apitype.EngineEvent) {
	switch {
	case e.ResourcePreEvent != nil:
		r.begin(e.ResourcePreEvent.Metadata)
	case e.ResOutputsEvent != nil:
		r.end(e.ResOutputsEvent.Metadata, false)
	case e.ResOpFailedEvent != nil:
		r.end(e.ResOpFailedEvent.Metadata, true)
	case e.DiagnosticEvent != nil && e.DiagnosticEvent.Severity != "debug" && !e.DiagnosticEvent.Ephemeral:
		r.Diagnostics += e.DiagnosticEvent.Prefix + e.DiagnosticEvent.Message
	case e.SummaryEvent != nil:
		r.Duration = time.Duration(e.SummaryEvent.DurationSeconds) * time.Second
		r.Changes = map[string]int{}
		for op, n := range e.SummaryEvent.ResourceChanges {
			r.Changes[string(op)] = n
		}
	}
}

func (r *Result) begin(m apitype.StepEventMetadata) {
	if m.Op == apitype.OpSame || m.Op == apitype.OpRefresh || m.Op == apitype.OpRead {
		return
	}
	r.Steps = append(r.Steps, Step{
		Op: string(m.Op), Type: m.Type, Name: resource.URN(m.URN).Name(), URN: m.URN, Keys: m.Diffs,
	})
}

func (r *Result) end(m apitype.StepEventMetadata, failed bool) {
	for i := range r.Steps {
		if step := &r.Steps[i]; step.URN == m.URN && step.Op == string(m.Op) {
			step.Done, step.Failed = !failed, failed
		}
	}
}
