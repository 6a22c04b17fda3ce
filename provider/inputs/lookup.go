package inputs

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// lookup finds the value at a path of pulumi names in a struct. The value is
// invalid if there is none; that the path cannot exist is an error.
func lookup(v reflect.Value, path string) (reflect.Value, error) {
	t := v.Type()
	steps := strings.FieldsFunc(path, func(c rune) bool { return c == '.' || c == '[' || c == ']' })
	for i := 0; ; i++ {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
			if v.IsValid() {
				v = v.Elem()
			}
		}
		if i == len(steps) {
			return v, nil
		}
		var ok bool
		if v, t, ok = step(v, t, steps[i]); !ok {
			return v, fmt.Errorf("there is no input %q", path)
		}
	}
}

func step(v reflect.Value, t reflect.Type, name string) (reflect.Value, reflect.Type, bool) {
	var none reflect.Value
	switch t.Kind() {
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			if tag, _, _ := strings.Cut(field.Tag.Get("pulumi"), ","); tag != name {
				continue
			}
			if v.IsValid() {
				return v.FieldByIndex(field.Index), field.Type, true
			}
			return none, field.Type, true
		}
	case reflect.Slice:
		if i, err := strconv.Atoi(name); err == nil {
			if v.IsValid() && i >= 0 && i < v.Len() {
				return v.Index(i), t.Elem(), true
			}
			return none, t.Elem(), true
		}
	case reflect.Map:
		if v.IsValid() {
			v = v.MapIndex(reflect.ValueOf(name).Convert(t.Key()))
		}
		return v, t.Elem(), true
	}
	return none, nil, false
}
