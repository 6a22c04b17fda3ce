package wait

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

const (
	mostMetrics = 8 << 20
	oneAnswer   = 2 * time.Second

	// Of all that the exporter could collect, what programs of ours wrote, and the time: to ask
	// systemd for each unit, every other second, is work for a small machine.
	written = "/metrics?collect[]=textfile&collect[]=time"
)

// applied is how quorum-apply says which state of the machine it tried last,
// how that ended, and why.
var applied = regexp.MustCompile(`^quorum_apply_info\{generation="([^"]*)",outcome="([^"]*)"(?:,reason="((?:[^"\\]|\\.)*)")?\} 1$`)

var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")

// direct asks machines: not through a proxy, nor over a connection that may be
// with a machine that is gone.
var direct = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// Exporter is where the node exporter of the machine at ip answers.
func Exporter(ip string) string { return ports.At(ip, ports.NodeExporter) }

// Applied says what is missing until the machine at ip has a generation of its
// state in force. If the machine could not take it up, that is an error.
func Applied(ctx context.Context, ip, generation string) (missing string, err error) {
	lines, missing, err := Told(ctx, ip)
	if missing != "" || err != nil {
		return missing, err
	}
	defer func() {
		backups := ReadBackups("", lines, time.Now())
		if backups.Restores != "" && missing != "" {
			missing = restores + backups.Restores
		}
		failed := backups.Failures["restore"]
		if failed.Reason == "" || missing == "" {
			return
		}
		how := "is tried again"
		if !failed.Again { // a node of PostgreSQL gives it up, and a member of etcd tries again in vain
			how = "can succeed only once something is changed"
		}
		missing += "; a restore fails, and " + how + ": " + oneLine(failed.Reason)
	}()
	for _, line := range lines {
		found := applied.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		tried, outcome, reason := found[1], found[2], Unescape(found[3])
		switch {
		case tried == "" && outcome != "done":
			return "it could not read its cloud-init drive yet: " + oneLine(reason), nil
		case tried != generation:
			return "it has not applied its new configuration yet", nil
		case outcome == "done":
			return "", nil
		}
		return "", fmt.Errorf("it could not apply its new configuration (%s): %s\nSee `journalctl -u quorum-apply` on %s", outcome, reason, ip)
	}
	return neverApplied, nil
}

// IsOurs reports whether the machine at ip tells of quorum-apply: it was made by this package.
func IsOurs(ctx context.Context, ip string) bool {
	ours, _ := Whose(ctx, ip)
	return ours
}

// Whose reports whether the machine at ip was made by this package, and whether it has a node exporter at all. That
// something answers there is no sign of one: a proxy on the way may answer for all addresses.
func Whose(ctx context.Context, ip string) (ours, tells bool) {
	lines, err := told(ctx, ip, written)
	if err != nil {
		return false, false
	}
	begins := func(with string) bool {
		return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, with) })
	}
	return begins("quorum_apply_"), begins("node_")
}

// IsOthers reports whether a machine that this package has not made is at ip: its exporter tells of another one, or, where none
// tells anything, what is to be there speaks.
func IsOthers(ctx context.Context, ip string, speaks bool) bool {
	ours, tells := Whose(ctx, ip)
	return !ours && (tells || speaks)
}

// restores begins what is said of a node that restores a backup: the rest of its configuration comes later.
const restores = "restores "

// neverApplied is what is missing until the first boot is done.
const neverApplied = "it has not applied any configuration yet"

// stage says how far a machine is whose service does not answer, or why it does
// not tell.
func stage(ctx context.Context, ip string) (stage, silent string) {
	lines, err := told(ctx, ip, written)
	if err != nil {
		return "", Cause(err)
	}
	if text := ReadBackups("", lines, time.Now()).Restores; text != "" {
		return restores + text, ""
	}
	for _, line := range lines {
		found := applied.FindStringSubmatch(line)
		switch {
		case found == nil:
		case found[2] == "done":
			return fullDisks(ctx, ip), ""
		default:
			return fmt.Sprintf("could not apply its configuration (%s): %s", found[2], oneLine(Unescape(found[3]))), ""
		}
	}
	return installs, ""
}

// Told are the metrics that programs of ours have written on the machine at ip, or why they are missing.
func Told(ctx context.Context, ip string) (lines []string, missing string, err error) {
	lines, err = told(ctx, ip, written)
	if failed := (*url.Error)(nil); errors.As(err, &failed) && failed.Op != "parse" {
		return nil, fmt.Sprintf("its node exporter, at %s, does not answer yet, so that its configuration is not known: %s", Exporter(ip), Cause(err)), nil
	}
	return lines, "", err
}

func told(ctx context.Context, ip, path string) (lines []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, oneAnswer)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+Exporter(ip)+path, nil)
	if err != nil {
		return nil, err
	}
	answer, err := direct.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	scanner := bufio.NewScanner(io.LimitReader(answer.Body, mostMetrics))
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines, nil
}

// oneLine is a reason as a part of a line: what is missing has a line for each thing.
func oneLine(reason string) string {
	return strings.Join(strings.FieldsFunc(reason, func(r rune) bool { return r == '\n' }), "; ")
}

// Unescape reads the value of a label.
func Unescape(label string) string { return unescape.Replace(label) }
