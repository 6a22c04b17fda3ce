// Package wait waits for what machines bring about: within bounds, and saying
// all the while what is still missing.
package wait

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	pause   = time.Second
	oneLook = 15 * time.Second
)

// For is what a wait is for.
type For struct {
	Limit    time.Duration
	Machines []Machine    // in the program's order
	Of       string       // the machine that lines without a name are of
	Say      func(string) // shows a line as long as it is true: nil is the progress line of the resource
}

// Until waits for no machines that it knows.
func Until(ctx context.Context, limit time.Duration, look func(context.Context) (missing string, err error)) error {
	return For{Limit: limit}.Until(ctx, look)
}

// Until calls look until it finds nothing missing, and shows what is on the
// progress line. An error of look ends the wait at once. Without a deadline of
// its own in ctx, which customTimeouts set, the wait ends after Limit.
func (f For) Until(ctx context.Context, look func(context.Context) (missing string, err error)) error {
	return (&watch{For: f, ask: stage}).until(ctx, look)
}

func (w *watch) until(ctx context.Context, look func(context.Context) (missing string, err error)) error {
	begun := time.Now()
	if _, has := ctx.Deadline(); !has {
		bounded, cancel := context.WithTimeout(ctx, w.Limit)
		defer cancel()
		ctx = bounded
	}
	last := ""
	for {
		missing, err := once(ctx, look)
		switch {
		case err != nil:
			return err
		case missing == "":
			return nil
		case ctx.Err() != nil && last != "": // the look was cut short
		default:
			last = missing
			w.show(ctx, missing)
		}
		select {
		case <-ctx.Done():
			ended := ended(ctx, begun, last)
			ended.hint = w.hint(usualBoot.most)
			return ended
		case <-time.After(pause):
		}
	}
}

// once bounds a look, so that one machine that hangs does not hide the others.
func once(ctx context.Context, look func(context.Context) (string, error)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, oneLook)
	defer cancel()
	return look(ctx)
}

// EndedError is of a wait that ended in vain.
type EndedError struct{ text, hint string }

func (e EndedError) Error() string { return e.text }

func ended(ctx context.Context, begun time.Time, missing string) EndedError {
	how, at := "timed out", time.Now()
	if end, has := ctx.Deadline(); errors.Is(ctx.Err(), context.Canceled) {
		how = "cancelled"
	} else if has {
		at = end // not when a machine under load came to it
	}
	return EndedError{text: fmt.Sprintf("%s after %s: %s", how, at.Sub(begun).Round(time.Second), missing)}
}

// Hint says, on lines of its own, where to look if a wait ended in vain for
// machines that answered nothing for long, or is "".
func Hint(err error) string {
	if of := (EndedError{}); errors.As(err, &of) && of.hint != "" {
		return "\n" + of.hint
	}
	return ""
}

// GoesOn is what else to say of a wait that ended in vain, of members or of nodes.
func GoesOn(err error, guarded string) string {
	return "The next `pulumi up` continues here. Do not set skipHealthChecks because a machine or the network is down now: it turns off what protects the " + guarded + ". " +
		"It is for a cluster that is lost as a whole, or whose machines can never be reached from here, as with macvtap." + Hint(err)
}
