package health

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
)

// warnOfParameters tells, as long as a node is external, which parameters of the cluster change when the last one has been taken over.
func (g *gate) warnOfParameters(ctx context.Context) {
	if changes := g.parametersLater(); len(changes) > 0 {
		p.GetLogger(ctx).Warningf("when the last external node has been taken over, the cluster takes the parameters of the program (postgres.params): %s", strings.Join(changes, ", "))
	}
}

// parametersLater are the parameters that are another then, each with what it is and comes to be.
func (g *gate) parametersLater() (all []string) {
	if len(g.Plan.Parameters) == 0 { // a preview does not know them
		return nil
	}
	later := map[string]string{}
	for name, value := range g.Plan.Parameters {
		later[strings.ToLower(name)] = value
	}
	now := map[string]string{}
	for name, value := range g.last.config.Postgresql.Parameters {
		now[strings.ToLower(name)] = parameter(value)
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		switch to, given := later[name]; {
		case patroni.IsOwned(name):
		case !given:
			all = append(all, fmt.Sprintf("%s from %q to its default", name, now[name]))
		case !sameParameter(to, now[name]):
			all = append(all, fmt.Sprintf("%s from %q to %q", name, now[name], to))
		}
	}
	return all
}

// parameter is the text of one in Patroni's configuration, where it may be a number or a boolean.
func parameter(value any) string {
	if number, is := value.(float64); is {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// sameParameter reports whether two texts are alike to PostgreSQL, as far as that is seen without its units.
func sameParameter(a, b string) bool {
	boolean := strings.NewReplacer("true", "on", "yes", "on", "false", "off", "no", "off")
	a, b = strings.ToLower(a), strings.ToLower(b)
	return a == b || boolean.Replace(a) == boolean.Replace(b) && (boolean.Replace(a) == "on" || boolean.Replace(a) == "off")
}
