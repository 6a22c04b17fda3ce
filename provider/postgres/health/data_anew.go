package health

import (
	"context"
	"fmt"
)

// MayEmpty refuses that what the data of the only node lie on is made anew while it has them: also in a preview, where
// --replace names a data volume. One that somebody deleted is missing, but the machine may run on and have
// the data in the deleted file: they would be lost with it, although the next volume has the id of the last one.
func MayEmpty(ctx context.Context, a HealthArgs) error {
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if err != nil {
		return err
	}
	if s, err := c.status(ctx, a.Nodes[0]); err != nil || s.SystemID == "" {
		return nil
	}
	return fmt.Errorf("%s runs, but its data are on a volume that was deleted or is to be replaced: %w", a.Nodes[0].Name, errDataLost)
}
