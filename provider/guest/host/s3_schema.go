package host

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated      = (*S3)(nil)
	_ infer.Annotated      = (*Drill)(nil)
	_ infer.Enum[URIStyle] = URIStyle("")
)

// Annotate describes s.
func (s *S3) Annotate(a infer.Annotator) {
	a.SetToken("index", "S3")
	a.Describe(&s, "A place in a bucket of a service that speaks S3, with signatures of version 4 and over TLS.")
	a.Describe(&s.Endpoint, "Address of the service, like https://s3.example.org:9000. Its certificate must name the host among its DNS names, also if that is an IP address: pgBackRest looks nowhere else.")
	a.Describe(&s.Bucket, "Name of the bucket, which must exist.")
	a.Describe(&s.Prefix, "Path in the bucket, like backups/postgres. Without it, the root of the bucket.")
	a.Describe(&s.Region, "Region of the bucket, like eu-central-1. Services of your own often accept any.")
	a.SetDefault(&s.Region, defaultS3Region)
	a.Describe(&s.AccessKey, "Access key: may list, read, write and delete below `prefix`; to restore from it, list and read. A change is applied while all runs.")
	a.Describe(&s.SecretKey, "Secret key of `accessKey`.")
	a.Describe(&s.CACert, "Certificate, PEM, of the authority that signs the service's certificate. Without it, those that the distribution trusts.")
	a.Describe(&s.URIStyle, "Where the bucket is in addresses: `path` as in https://s3.example.org/bucket, `host` as in https://bucket.s3.example.org.")
	a.SetDefault(&s.URIStyle, PathStyle)
}

// Values lists the styles.
func (URIStyle) Values() []infer.EnumValue[URIStyle] {
	return []infer.EnumValue[URIStyle]{
		{Name: "Path", Value: PathStyle, Description: "The bucket begins the path."},
		{Name: "Host", Value: HostStyle, Description: "The bucket begins the host name."},
	}
}

// AboutSchedule is how inputs say when something is done.
const AboutSchedule = " A calendar expression of systemd's timers, such as `daily`, `Sun 03:00` or `*-*-* 02:30:00`, in UTC unless it names a time zone: https://www.freedesktop.org/software/systemd/man/latest/systemd.time.html#Calendar%20Events. Steps begin with a number (`*:0/15`), and some of its times must still be to come. One that could not run at its time, for example because its machine was off, runs as soon as possible."

// Annotate describes d.
func (d *Drill) Annotate(a infer.Annotator) {
	a.SetToken("index", "BackupDrill")
	a.Describe(&d, "A test restore. It runs with low priority, on one machine (of PostgreSQL on a standby, if there is one), and only where the data volume has room: for the data, and a tenth of the volume beside.")
	a.Describe(&d.Enabled, "Whether there are drills.")
	a.SetDefault(&d.Enabled, true)
	a.Describe(&d.Schedule, "When there is one."+AboutSchedule)
	a.SetDefault(&d.Schedule, defaultDrill)
}
