package bench

import (
	"fmt"
	"time"
)

// results are what was measured, by the part that measures it.
type results struct {
	Cores                     int
	DomainType                string
	Bare, Cluster             []int
	BareMedian, ClusterMedian int
	BootRatio                 float64
	Scale                     []scale
	Floors                    []floor
	Unwritten                 *scale            // of as many, without checkpoints
	Planner                   string            // what they are compared with
	Drives                    map[string]drives // by the plugin
	Backups                   backups
	Founded                   founded
	Gaps                      map[string]map[string]time.Duration // by what happens, and by the kind of client
	Settings                  *settings

	Kept string `json:"-"` // what the page has from elsewhere
}

// drives counts what became of cloud-init drives.
type drives struct {
	Up, Refresh, Kill counted
	Left              int
}

type counted struct{ Runs, Hangs, Faults int }

// String is how many were not well.
func (c counted) String() string { return fmt.Sprint(c.Hangs + c.Faults) }

// backups are seconds for the same data.
type backups struct {
	MiB        int
	Read       float64
	Write      float64
	Backup     float64
	Verify     float64
	Drill      float64
	Repository int // MiB
}

type row struct {
	What                  string
	Seconds, Speed, Times float64
}

// Rows are those of the page.
func (b backups) Rows() (rows []row) {
	for _, r := range []row{
		{What: "read from the disk", Seconds: b.Read},
		{What: "written to the disk", Seconds: b.Write},
		{What: "full backup", Seconds: b.Backup},
		{What: "verification of the repository", Seconds: b.Verify},
		{What: "drill: restored, recovered, each table, index and page checked", Seconds: b.Drill},
	} {
		r.Speed, r.Times = float64(b.MiB)/r.Seconds, r.Seconds/b.Read
		rows = append(rows, r)
	}
	return rows
}

// founded has the seconds until a cluster was founded.
type founded struct{ Empty, Restored float64 }

// Ratio is how much longer it takes from a backup.
func (f founded) Ratio() float64 { return f.Restored / f.Empty }

type gapRow struct {
	What string
	Aim  int // seconds
	gaps map[string]time.Duration
}

// Of is the gap of a kind of client, in seconds.
func (r gapRow) Of(client string) string { return fmt.Sprintf("%.1f", r.gaps[client].Seconds()) }

// GapRows are those of the page.
func (r results) GapRows() (rows []gapRow) {
	for _, row := range []gapRow{
		{What: "switchover", Aim: 4},
		{What: "leader killed", Aim: 27},
		{What: "leader isolated", Aim: 27},
		{What: "balancer killed", Aim: 5},
		{What: "balancer rebuilt", Aim: 5},
		{What: "roll of all", Aim: 4},
	} {
		row.gaps = r.Gaps[row.What]
		rows = append(rows, row)
	}
	return rows
}

type scale struct {
	Machines, Resources, MiB   int
	KiB                        int // of the state, for each machine
	First, Up, Preview, Second time.Duration
	Plan                       time.Duration // of the same resources by another program
	Ratio                      float64
}

// floor is what a program without machines takes.
type floor struct {
	What          string
	Preview, Plan time.Duration
}

// OfPlan is what a first preview takes of that.
func (s scale) OfPlan() float64 { return s.First.Seconds() / s.Plan.Seconds() }

// settings are what PostgreSQL does with the distribution's settings, and with those that fit a machine.
type settings struct {
	MiB, GiB, Rounds      int
	Distribution, Fitting done
}

// done has transactions a second, and seconds.
type done struct{ Read, Write, Index float64 }

// Ratio is how much more there is of one with what fits.
func (s settings) Ratio(what string) float64 {
	switch what {
	case "read":
		return s.Fitting.Read / s.Distribution.Read
	case "write":
		return s.Fitting.Write / s.Distribution.Write
	}
	return s.Fitting.Index / s.Distribution.Index
}
