package fleet

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// BackedUp has it tell that there is a backup, where a state wants any. Here nothing makes one:
// what does needs S3.
func (e *Exporter) BackedUp(s guest.State) error {
	for _, f := range s.Files {
		if f.Path != host.BackupConf {
			continue
		}
		var of struct{ ID, Stanza string } // PostgreSQL's has a stanza, too
		if err := json.Unmarshal([]byte(f.Content), &of); err != nil {
			return fmt.Errorf("read %s: %w", f.Path, err)
		}
		text, now := fmt.Sprintf("quorum_backup_info{repository=%q,stanza=%q,id=%q} 1\nquorum_backup_leader 1\n", of.ID, of.Stanza, of.ID), time.Now().Unix()
		for _, name := range []string{"updated_timestamp_seconds", `last_success_timestamp_seconds{type="any"}`, `last_success_timestamp_seconds{type="full"}`, "verified_timestamp_seconds"} {
			text += fmt.Sprintf("quorum_backup_%s %d\n", name, now)
		}
		e.backups.Store(&text)
	}
	return nil
}
