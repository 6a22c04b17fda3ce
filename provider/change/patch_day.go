package change

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

const patchDay = "software.asOf"

// warnOfEarlierDay says that packages do not go back.
func warnOfEarlierDay(ctx context.Context, before, now settings) {
	if text := earlierDay(before, now); text != "" {
		p.GetLogger(ctx).Warning(text)
	}
}

func earlierDay(before, now settings) string {
	was, err := check.ParseDay(before.at(patchDay).text)
	is, problem := check.ParseDay(now.at(patchDay).text)
	if err != nil || problem != nil || !is.Before(was) {
		return ""
	}
	return patchDay + " is before " + before.at(patchDay).text + ", which it was: packages never go back, and machines that run stay as they are. " +
		"One that is made anew, as each is on OpenStack and with a fixed cloudInitVolumeName, upgrades to what the repositories have now. " +
		"For former packages, give machines an image that has them, and repositories that have no others"
}
