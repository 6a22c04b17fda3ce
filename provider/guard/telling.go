package guard

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
)

// Warn warns, in previews too, with each text that says something.
func Warn(ctx context.Context, texts ...string) {
	for _, text := range texts {
		if text != "" {
			p.GetLogger(ctx).Warning(text)
		}
	}
}
