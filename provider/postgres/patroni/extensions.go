package patroni

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// extension is what one needs on a node before a database can have it.
type extension struct {
	pkg         string            // its package, with * for the version of PostgreSQL; "" if PostgreSQL's own has it
	preload     []string          // libraries that PostgreSQL has to load when it starts, in that order
	params      map[string]string // without which it does nothing on these nodes
	first, last int               // versions of PostgreSQL that have it; 0 for all
}

// packaged are those of Debian and of the PostgreSQL project, by their names in CREATE EXTENSION.
var packaged = map[string]extension{
	"address_standardizer":   {pkg: "postgresql-*-postgis-3"},
	"age":                    {pkg: "postgresql-*-age", preload: []string{"age"}},
	"credcheck":              {pkg: "postgresql-*-credcheck", preload: []string{"credcheck"}},
	"h3":                     {pkg: "postgresql-*-h3"},
	"hll":                    {pkg: "postgresql-*-hll"},
	"http":                   {pkg: "postgresql-*-http"},
	"hypopg":                 {pkg: "postgresql-*-hypopg"},
	"ip4r":                   {pkg: "postgresql-*-ip4r"},
	"mysql_fdw":              {pkg: "postgresql-*-mysql-fdw"},
	"ogr_fdw":                {pkg: "postgresql-*-ogr-fdw"},
	"orafce":                 {pkg: "postgresql-*-orafce"},
	"periods":                {pkg: "postgresql-*-periods"},
	"pg_hint_plan":           {pkg: "postgresql-*-pg-hint-plan", preload: []string{"pg_hint_plan"}},
	"pg_partman":             {pkg: "postgresql-*-partman"},
	"pg_qualstats":           {pkg: "postgresql-*-pg-qualstats", preload: []string{"pg_qualstats"}},
	"pg_repack":              {pkg: "postgresql-*-repack"},
	"pg_similarity":          {pkg: "postgresql-*-similarity"},
	"pg_stat_kcache":         {pkg: "postgresql-*-pg-stat-kcache", preload: []string{"pg_stat_statements", "pg_stat_kcache"}},
	"pg_wait_sampling":       {pkg: "postgresql-*-pg-wait-sampling", preload: []string{"pg_stat_statements", "pg_wait_sampling"}},
	"pgaudit":                {pkg: "postgresql-*-pgaudit", preload: []string{"pgaudit"}},
	"pgrouting":              {pkg: "postgresql-*-pgrouting"},
	"pgtap":                  {pkg: "postgresql-*-pgtap"},
	"plperl":                 {pkg: "postgresql-plperl-*"},
	"plpgsql_check":          {pkg: "postgresql-*-plpgsql-check"},
	"plpython3u":             {pkg: "postgresql-plpython3-*"},
	"pltcl":                  {pkg: "postgresql-pltcl-*"},
	"postgis":                {pkg: "postgresql-*-postgis-3"},
	"postgis_raster":         {pkg: "postgresql-*-postgis-3"},
	"postgis_sfcgal":         {pkg: "postgresql-*-postgis-3"},
	"postgis_tiger_geocoder": {pkg: "postgresql-*-postgis-3"},
	"postgis_topology":       {pkg: "postgresql-*-postgis-3"},
	"prefix":                 {pkg: "postgresql-*-prefix"},
	"q3c":                    {pkg: "postgresql-*-q3c"},
	"roaringbitmap":          {pkg: "postgresql-*-roaringbitmap"},
	"rum":                    {pkg: "postgresql-*-rum"},
	"semver":                 {pkg: "postgresql-*-semver"},
	"set_user":               {pkg: "postgresql-*-set-user", preload: []string{"set_user"}},
	"tdigest":                {pkg: "postgresql-*-tdigest"},
	"tds_fdw":                {pkg: "postgresql-*-tds-fdw"},
	"timescaledb":            {pkg: "postgresql-*-timescaledb", preload: []string{"timescaledb"}},
	"unit":                   {pkg: "postgresql-*-unit"},
	"vector":                 {pkg: "postgresql-*-pgvector"},

	// By itself it connects over the network as each job's user, whom the nodes ask for a password.
	"pg_cron": {pkg: "postgresql-*-cron", preload: []string{"pg_cron"}, params: map[string]string{"cron.use_background_workers": "on"}},
}

// contributed are those that come with PostgreSQL itself.
var contributed = strings.Fields(`amcheck autoinc bloom btree_gin btree_gist citext cube dblink dict_int dict_xsyn earthdistance
	file_fdw fuzzystrmatch hstore insert_username intagg intarray isn lo ltree moddatetime pageinspect pg_buffercache
	pg_freespacemap pg_prewarm pg_surgery pg_trgm pg_visibility pgcrypto pgrowlocks pgstattuple plpgsql postgres_fdw refint seg
	sslinfo tablefunc tcn tsm_system_rows tsm_system_time unaccent uuid-ossp xml2`)

// extensions are all that are known here.
var extensions = func() map[string]extension {
	all := maps.Clone(packaged)
	for _, name := range contributed {
		all[name] = extension{}
	}
	all["pg_stat_statements"] = extension{preload: []string{"pg_stat_statements"}}
	all["adminpack"], all["old_snapshot"] = extension{last: 16}, extension{last: 16}
	all["pg_walinspect"], all["pg_logicalinspect"] = extension{first: 15}, extension{first: 18}
	return all
}()

// products are what people call extensions that CREATE EXTENSION knows by another name.
var products = map[string]string{
	"pgvector": "vector", "postgis3": "postgis", "timescale": "timescaledb", "cron": "pg_cron", "partman": "pg_partman", "pgpartman": "pg_partman",
	"repack": "pg_repack", "pgcron": "pg_cron", "pg_audit": "pgaudit", "pg_vector": "vector", "plpython3": "plpython3u", "uuid": "uuid-ossp",
}

// Libraries are those that PostgreSQL loads for extensions when it starts.
func Libraries(names []string) (all []string) {
	for _, name := range names {
		all = append(all, extensions[name].preload...)
	}
	return all
}

// validateExtensions requires names that are known: of others neither the package is, nor whether
// PostgreSQL starts without their libraries.
func (p Postgres) validateExtensions() check.List {
	var l check.List
	for i, name := range p.Extensions {
		path := check.Index("extensions", i)
		e, known := extensions[name]
		version, err := strconv.Atoi(ptr.Value(p.Version))
		switch {
		case !known:
			l.Add(path, "must be one of the extensions in docs/postgres-extensions.md, by its name in CREATE EXTENSION, not %s%s", check.Quote(name), meant(name))
		case e.pkg != "" && p.Version == nil:
			l.Add(path, "%s needs postgres.version: its package is another one for each version of PostgreSQL, like %s", name, e.packageOf("17")).Needing("version")
		case err == nil && version < e.first:
			l.Add(path, "PostgreSQL has %s from version %d on, and this is %d", name, e.first, version).Needing("version")
		case err == nil && e.last > 0 && version > e.last:
			l.Add(path, "PostgreSQL has %s up to version %d, and this is %d", name, e.last, version).Needing("version")
		}
	}
	l.Distinct(check.Each("extensions", len(p.Extensions), ""), p.Extensions)
	return l
}

func meant(name string) string {
	near, is := products[strings.ToLower(name)]
	if !is {
		near = check.Nearest(name, slices.Sorted(maps.Keys(extensions)))
	}
	if near == "" {
		return ""
	}
	return "." + check.DidYouMean(near)
}

func (e extension) packageOf(version string) string { return strings.ReplaceAll(e.pkg, "*", version) }

// extensionPackages are what extensions need of packages. That each is there is told by the files by
// which PostgreSQL finds an extension and the libraries it has to load: an image may have them otherwise.
func (c Config) extensionPackages() (packages []guest.Package) {
	for _, v := range c.versions() {
		packages = append(packages, c.packagesOf(v)...)
	}
	return packages
}

// packagesOf are those of a version.
func (c Config) packagesOf(v string) (packages []guest.Package) {
	for _, name := range c.Postgres.Extensions {
		e := extensions[name]
		if e.pkg == "" {
			continue
		}
		p := e.packageOf(v)
		at := slices.IndexFunc(packages, func(one guest.Package) bool { return one.Name == p })
		if at < 0 {
			at, packages = len(packages), append(packages, guest.Package{Name: p})
		}
		provides := &packages[at].Provides
		*provides = append(*provides, "/usr/share/postgresql/"+v+"/extension/"+name+".control")
		if slices.Contains(e.preload, name) { // others are PostgreSQL's own
			*provides = append(*provides, "/usr/lib/postgresql/"+v+"/lib/"+name+".so")
		}
	}
	return packages
}

// preloaded is shared_preload_libraries with those of extensions, or "" where no extension has any: the
// user's first, whose order may matter.
func (c Config) preloaded() text {
	given := c.given()["shared_preload_libraries"].value
	var names, more []string
	for word := range strings.SplitSeq(given, ",") {
		names = append(names, libraryName(word))
	}
	for _, name := range c.Postgres.Extensions {
		for _, library := range extensions[name].preload {
			if !slices.Contains(names, library) {
				names, more = append(names, library), append(more, library)
			}
		}
	}
	if len(more) == 0 {
		return ""
	}
	if strings.TrimSpace(given) != "" {
		more = slices.Insert(more, 0, strings.TrimSpace(given))
	}
	return text(strings.Join(more, ","))
}

// libraryName is a library in a list of PostgreSQL's.
func libraryName(word string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.Trim(word, ` "`), "$libdir/"), ".so")
}

// Preloading are those of some extensions for which PostgreSQL loads libraries when it starts.
func Preloading(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return len(extensions[name].preload) == 0 })
}
