package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Validate returns what is wrong with c.
func (c Chrony) Validate() check.List {
	var l check.List
	if len(c.Servers)+len(c.Pools) == 0 {
		l.Add("servers", "must have a time server, or pools must have a pool").Shape().Needing("pools")
	}
	for _, group := range []struct {
		path    string
		sources []TimeSource
	}{{"servers", c.Servers}, {"pools", c.Pools}} {
		var urls []string
		for i, source := range group.sources {
			l.Under(check.Index(group.path, i), source.validate())
			urls = append(urls, strings.ToLower(source.URL))
		}
		l.Distinct(check.Each(group.path, len(urls), "url"), urls)
	}
	if c.Makestep != nil && c.Makestep.Threshold <= 0 {
		l.Add("makestep.threshold", "must be more than 0 (seconds), not %v", c.Makestep.Threshold)
	}
	return l
}

func (t TimeSource) validate() check.List {
	var l check.List
	l.Check("url", machine(t.URL))
	if check.Itself(t.URL) {
		l.Add("url", "must be a time server on another machine: at %s chrony asks itself", check.Quote(t.URL))
	}
	for i, option := range t.Options {
		if option == "" || strings.ContainsAny(option, "\r\n") {
			l.Add(fmt.Sprintf("options[%d]", i), "must be an option of chrony, like iburst, not %s", check.Quote(option))
		}
		word, _, _ := strings.Cut(option, " ")
		if near := check.Nearest(word, chronyOptions); near != "" && len(word) > 4 && !slices.Contains(chronyOptions, word) {
			l.Add(fmt.Sprintf("options[%d]", i), "is no option of chrony.%s", check.DidYouMean(near))
		}
	}
	return l
}
