// Package wait waits for what machines bring about: within bounds, and saying
// all the while what is still missing.
package wait

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
)

const (
	pause   = time.Second
	oneLook = 15 * time.Second
)

// Until calls look until it finds nothing missing, and shows what is on the
// progress line. An error of look ends the wait at once. Without a deadline of
// its own in ctx, which customTimeouts set, the wait ends after limit.
func Until(ctx context.Context, limit time.Duration, look func(context.Context) (missing string, err error)) error {
	begun := time.Now()
	if _, has := ctx.Deadline(); !has {
		bounded, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = bounded
	}
	log, last := p.GetLogger(ctx), ""
	for {
		missing, err := once(ctx, look)
		switch {
		case err != nil:
			return err
		case missing == "":
			return nil
		case ctx.Err() != nil && last != "": // the look was cut short
		case missing != last:
			log.InfoStatus("waiting: " + strings.ReplaceAll(missing, "\n", "; "))
			last = missing
		}
		select {
		case <-ctx.Done():
			return ended(ctx, begun, last)
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
type EndedError struct{ text string }

func (e EndedError) Error() string { return e.text }

func ended(ctx context.Context, begun time.Time, missing string) error {
	how, at := "timed out", time.Now()
	if end, has := ctx.Deadline(); errors.Is(ctx.Err(), context.Canceled) {
		how = "cancelled"
	} else if has {
		at = end // not when a machine under load came to it
	}
	return EndedError{fmt.Sprintf("%s after %s: %s", how, at.Sub(begun).Round(time.Second), missing)}
}

// GoesOn is what else to say of a wait that ended in vain, of members or of nodes.
func GoesOn(guarded string) string {
	return "The next `pulumi up` continues here. Do not set skipHealthChecks because a machine or the network is down now: it turns off what protects the " + guarded + ". " +
		"It is for a cluster that is lost as a whole, or whose machines can never be reached from here, as with macvtap."
}
