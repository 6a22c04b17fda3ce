package inputs

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// secrets are texts that no message may show. Rules are written not to; this
// is for the one that slips.
type secrets []string

// collect adds the texts in v that are secret, or all of them.
func (s *secrets) collect(v property.Value, all bool) {
	all = all || v.Secret()
	switch {
	case v.IsArray():
		for _, e := range v.AsArray().All {
			s.collect(e, all)
		}
	case v.IsMap():
		for _, e := range v.AsMap().All {
			s.collect(e, all)
		}
	case all && (v.IsString() || v.IsNumber()):
		s.add(text(v))
	}
}

// add takes the text as it is, trimmed, in small letters, as %q shows it and cut as
// check.Quote does, and the parts of an endpoint or a list.
func (s *secrets) add(secret string) {
	quoted := strconv.Quote(secret)
	forms := []string{secret, strings.TrimSpace(secret), strings.ToLower(strings.TrimSpace(secret)), quoted[1 : len(quoted)-1]}
	if endpoint, err := netip.ParseAddrPort(secret); err == nil {
		forms = append(forms, endpoint.Addr().String())
	}
	if list := strings.Split(secret, ","); len(list) > 1 {
		for _, item := range list {
			forms = append(forms, strings.Trim(item, ` "`))
		}
	}
	if runes := []rune(secret); len(runes) > 60 {
		cut := strconv.Quote(string(runes[:60]))
		forms = append(forms, cut[1:len(cut)-1])
	}
	for _, form := range forms {
		if form != "" && !slices.Contains(*s, form) {
			*s = append(*s, form)
		}
	}
}

func (s secrets) redact(message string) string {
	longestFirst := slices.Clone(s)
	slices.SortFunc(longestFirst, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(s))
	short := slices.IndexFunc(longestFirst, func(secret string) bool { return len(secret) < leastInText })
	if short < 0 {
		short = len(longestFirst)
	}
	for _, secret := range longestFirst[:short] {
		pairs = append(pairs, secret, "[secret]")
	}
	message = s.redactSizes(message)
	message = strings.NewReplacer(pairs...).Replace(message)
	for _, secret := range longestFirst[short:] {
		message = redactShort(message, secret)
	}
	return message
}

// leastInText is the length from which a secret is taken out wherever it is: a shorter one may be a part of any word or number.
const leastInText = 3

// redactShort takes it out where a rule quotes what it is given, has it in brackets, or begins or ends
// with it: not "a", n (5), is 5, not 5.
func redactShort(message, secret string) string {
	message = strings.NewReplacer(`"`+secret+`"`, `"[secret]"`, "("+secret+")", "([secret])").Replace(message)
	for _, begin := range []string{"is ", "must not be "} {
		if rest, is := strings.CutPrefix(message, begin+secret); is && strings.IndexAny(rest, " ,:") == 0 {
			message = begin + "[secret]" + rest
		}
	}
	if rest, is := strings.CutSuffix(message, "not "+secret); is {
		return rest + "not [secret]"
	}
	return message
}

// redactAll takes secrets out of what is said of inputs. Their paths are the program's own words: a
// secret taken out of one would be told by what is missing there.
func (s secrets) redactAll(problems []check.Problem) []check.Problem {
	all := slices.Clone(problems)
	for i := range all {
		if !all[i].Silent {
			if safe := s.redact(all[i].Reason); safe != all[i].Reason {
				all[i].Reason = s.redact(check.WithoutGuess(all[i].Reason))
			}
		}
	}
	return all
}

// redactError keeps an error as it is unless it shows a secret.
func (s secrets) redactError(err error) error {
	if err == nil {
		return nil
	}
	if safe := s.redact(err.Error()); safe != err.Error() {
		return errors.New(safe)
	}
	return err
}
