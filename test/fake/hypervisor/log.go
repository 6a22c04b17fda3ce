package hypervisor

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Event is an operation that begins or ends.
type Event struct {
	Time  time.Time
	Op    string // create, update, delete, read, configure, start
	Phase string // begin, end, failed, collision
	Type  string // Domain
	Name  string
	Host  string // libvirt URI; empty for certificates
	Note  string // what changed, or the error
}

// String is the event without its time and note, as tests compare it.
func (e Event) String() string {
	return strings.TrimSpace(strings.Join([]string{e.Op, e.Phase, e.Type, e.Name}, " "))
}

// Log adds an event. Several plugin processes write at the same time.
func (w World) Log(e Event) error {
	if err := os.MkdirAll(string(w), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(w.path("log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	fields := []string{strconv.FormatInt(time.Now().UnixMicro(), 10), e.Op, e.Phase, e.Type, e.Name, e.Host, e.Note}
	for i, field := range fields {
		fields[i] = strings.NewReplacer("\t", " ", "\n", " ").Replace(field)
	}
	_, err = fmt.Fprintln(file, strings.Join(fields, "\t"))
	return err
}

// Events reads the log.
func (w World) Events() ([]Event, error) {
	file, err := os.Open(w.path("log"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var events []Event
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 7 {
			return nil, fmt.Errorf("%s: unexpected line %q", file.Name(), lines.Text())
		}
		micros, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			return nil, err
		}
		events = append(events, Event{
			Time: time.UnixMicro(micros), Op: f[1], Phase: f[2], Type: f[3], Name: f[4], Host: f[5], Note: f[6],
		})
	}
	return events, lines.Err()
}

// Forget empties the log.
func (w World) Forget() error {
	err := os.Remove(w.path("log"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
