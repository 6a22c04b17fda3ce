package inputs

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Settings are the inputs of a component as a person wrote them, by their paths, an item of a
// list by its name if it has one. Of what is secret there is a hash, which must be a secret
// itself: a password may be short. What is not known yet is "", which no value is: as a whole, it
// is in both.
type Settings struct{ Plain, Secret map[string]string }

// With are the settings and what follows from them.
func (s Settings) With(more map[string]string) Settings {
	plain := map[string]string{} // machines of a cluster have none of their own
	maps.Copy(plain, s.Plain)
	maps.Copy(plain, more)
	return Settings{plain, s.Secret}
}

// Settings are the inputs as they were given, without defaults.
func (in Inputs[A]) Settings() Settings { return in.settings }

// typed are inputs with each value of the type that it has, whatever else is wrong with them.
func (s inputSchema) typed(given property.Map) property.Map {
	r := reader{inputSchema: s, leaves: map[string]property.Value{}, partial: slices.Collect(maps.Keys(s.object.Properties))}
	plain, _ := r.walk(s.object, property.New(given), origin{}, "")
	return plain.AsMap()
}

// settingsOf are those of inputs that are in order: given as they came, plain with each value of
// the type that it has.
func (s inputSchema) settingsOf(given, plain property.Map) Settings {
	w := wording{s, Settings{map[string]string{}, map[string]string{}}}
	w.properties(s.object, "", given, plain, false)
	return w.Settings
}

// wording finds settings beside their schema.
type wording struct {
	inputSchema
	Settings
}

func (w wording) properties(spec pschema.ObjectTypeSpec, path string, given, plain property.Map, secret bool) {
	for key, v := range plain.All {
		w.value(spec.Properties[key].TypeSpec, check.Join(path, key), given.Get(key), v, secret)
	}
}

// value adds what is at path. What is secret as a whole hides the values of its inputs, and of a
// map or a list all that it is.
func (w wording) value(t pschema.TypeSpec, path string, given, v property.Value, secret bool) {
	secret = secret || given.Secret() || v.Secret()
	object, isObject := w.objectOf(t)
	switch {
	case (v.IsComputed() || given.IsComputed()) && (isObject || w.isListOfObjects(t) || t.AdditionalProperties != nil):
		w.Plain[path], w.Secret[path] = "", ""
	case isObject && v.IsMap() && v.AsMap().Len() > 0:
		w.properties(object, path, given.AsMap(), v.AsMap(), secret)
	case w.isListOfObjects(t) && v.IsArray():
		w.items(*t.Items, path, given.AsArray().AsSlice(), v.AsArray().AsSlice(), secret)
	case v.HasComputed() && secret:
		w.Secret[path] = ""
	case v.HasComputed() && !v.IsMap():
		w.Plain[path] = ""
	case secret || holdsSecretTexts(v) || v.IsString() && withPassword.MatchString(v.AsString()):
		w.Secret[path] = check.Hash(whole(v))
	case v.IsMap() && v.AsMap().Len() > 0:
		for key, item := range v.AsMap().All {
			w.value(ptr.Value(t.AdditionalProperties), member(path, key), given.AsMap().Get(key), item, false)
		}
	default:
		w.Plain[path] = inWords(v)
	}
}

// items adds those of a list of objects, by their names if each has another.
func (w wording) items(t pschema.TypeSpec, path string, given, items []property.Value, secret bool) {
	if len(items) == 0 {
		w.Plain[path] = "[]"
	}
	if slices.ContainsFunc(items, isNameless) { // which one is which is not known
		w.Plain[path], w.Secret[path] = "", ""
		return
	}
	keys, named := itemKeys(items, secret || slices.ContainsFunc(given, property.Value.Secret))
	for i, item := range items {
		if named { // it is in the path
			item = property.New(item.AsMap().Delete("name"))
		}
		w.value(t, path+"["+keys[i]+"]", given[i], item, secret)
	}
}

// withPassword is of an address that has the password of a user.
var withPassword = regexp.MustCompile(`://[^/@\s:]*:[^/@\s]+@`)

// holdsSecretTexts reports whether a list of texts has one that is secret.
func holdsSecretTexts(v property.Value) bool {
	return v.IsArray() && slices.ContainsFunc(v.AsArray().AsSlice(), func(item property.Value) bool {
		return item.Secret() || item.IsString() && withPassword.MatchString(item.AsString())
	})
}

// isNameless is of an item that is not known yet, or whose name is not.
func isNameless(item property.Value) bool {
	return item.IsComputed() || item.IsMap() && item.AsMap().Get("name").IsComputed()
}

// itemKeys are the names of objects in a list, or their places in it.
func itemKeys(items []property.Value, secret bool) (keys []string, named bool) {
	for _, item := range items {
		name := item.AsMap().Get("name")
		if secret || !name.IsString() || name.Secret() || slices.Contains(keys, check.Visible(name.AsString())) {
			keys = nil
			for i := range items {
				keys = append(keys, fmt.Sprint(i))
			}
			return keys, false
		}
		keys = append(keys, check.Visible(name.AsString()))
	}
	return keys, true
}

// whole is a value as one text.
func whole(v property.Value) string {
	var parts []string
	switch {
	case v.IsMap():
		for _, key := range slices.Sorted(maps.Keys(v.AsMap().AsMap())) {
			parts = append(parts, fmt.Sprintf("%q:%s", key, whole(v.AsMap().Get(key))))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case v.IsArray():
		for _, item := range v.AsArray().All {
			parts = append(parts, fmt.Sprintf("%q", whole(item)))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return text(v)
}

// Longer texts are cut: what is left tells which one it is, and a hash that it is another.
const longest = 300

// inWords is a value on one line.
func inWords(v property.Value) string {
	switch {
	case v.IsMap():
		return "{}"
	case v.IsArray():
		var items []string
		for _, item := range v.AsArray().All {
			words := inWords(item)
			if strings.Contains(words, ",") && words[0] != '"' { // else it looks like two
				words = strconv.Quote(words)
			}
			items = append(items, words)
		}
		return brief("[" + strings.Join(items, ", ") + "]")
	case v.IsString() && v.AsString() == "":
		return `""`
	case v.IsString() && strings.Contains(v.AsString(), "-----BEGIN "):
		return pemInWords(v.AsString())
	}
	return brief(text(v))
}

func brief(of string) string {
	if !strings.ContainsAny(of, "\n\r") && len([]rune(of)) <= longest {
		return check.Visible(of)
	}
	start := []rune(check.Visible(strings.Join(strings.Fields(of), " ")))
	return fmt.Sprintf("%s... (%d characters, %s)", string(start[:min(len(start), 40)]), len([]rune(of)), check.Hash(of)[:8])
}

// pemInWords says of certificates whose they are, and until when they are valid.
func pemInWords(pem string) string {
	chain, reason := check.Certificates(pem)
	if reason != "" || len(chain) == 0 {
		return fmt.Sprintf("PEM (%s)", check.Hash(pem)[:8])
	}
	var all []string
	for _, c := range chain {
		all = append(all, fmt.Sprintf("%s until %s", check.Visible(c.Subject.String()), c.NotAfter.UTC().Format(time.DateOnly)))
	}
	return fmt.Sprintf("certificate (%s; %s)", strings.Join(all, "; "), check.Hash(pem)[:8])
}
