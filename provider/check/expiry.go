package check

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// nearEnd is how long before its end a certificate is spoken of: as long as
// certificates are renewed before it by default.
const nearEnd = 30 * 24 * time.Hour

// Ends says which certificates in a struct of inputs end soon after now, by
// their paths.
func Ends(now time.Time, inputs any) (all []string) {
	texts("", reflect.ValueOf(inputs), func(path, text string) { all = append(all, End(now, path, text)...) })
	return all
}

// End says which certificates in the text at a path end soon after now.
func End(now time.Time, path, text string) (all []string) {
	if !strings.Contains(text, "-----BEGIN CERTIFICATE-----") {
		return nil
	}
	certs, _ := Certificates(text)
	for _, c := range certs {
		if left := c.NotAfter.Sub(now); left < nearEnd {
			all = append(all, fmt.Sprintf("%s: the certificate of %s ends on %s", path, c.Subject, c.NotAfter.UTC().Format(time.RFC3339)))
		}
	}
	return all
}

// texts walks all texts in a struct of inputs.
func texts(path string, v reflect.Value, found func(path, text string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			texts(path, v.Elem(), found)
		}
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(v.Type()) {
			if name, _, is := strings.Cut(field.Tag.Get("pulumi"), ","); is || name != "" {
				texts(Join(path, name), v.FieldByIndex(field.Index), found)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			texts(Index(path, i), v.Index(i), found)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			texts(Join(path, key.String()), v.MapIndex(key), found)
		}
	case reflect.String:
		found(path, v.String())
	}
}
