package inputs

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// lookup finds the value at a path of pulumi names in a struct. The value is
// invalid if there is none; that the path cannot exist is an error.
func lookup(v reflect.Value, path string) (reflect.Value, error) {
	t := v.Type()
	steps := stepsOf(path)
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

// tagged reports whether the field of pulumi's name that path ends in, or that it
// is an element of, decides which resources there are.
func tagged(t reflect.Type, path string) bool {
	is := false
	for _, name := range stepsOf(path) {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct {
			field, found := fieldOf(t, name)
			if !found {
				return false
			}
			_, is = field.Tag.Lookup(decides)
		}
		var ok bool
		if _, t, ok = step(reflect.Value{}, t, name); !ok {
			return false
		}
	}
	return is
}

func stepsOf(path string) []string {
	return strings.FieldsFunc(path, func(c rune) bool { return c == '.' || c == '[' || c == ']' })
}

func fieldOf(t reflect.Type, name string) (reflect.StructField, bool) {
	known, _ := fields.LoadOrStore(t, sync.OnceValue(func() map[string]reflect.StructField {
		all := map[string]reflect.StructField{}
		for _, field := range reflect.VisibleFields(t) {
			if _, has := all[inputName(field)]; !has {
				all[inputName(field)] = field
			}
		}
		return all
	}))
	field, found := known.(func() map[string]reflect.StructField)()[name]
	return field, found
}

// fields are those of a type, by their names: each input of each machine is looked up several times.
var fields sync.Map

func inputName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("pulumi"), ",")
	return name
}

func step(v reflect.Value, t reflect.Type, name string) (reflect.Value, reflect.Type, bool) {
	var none reflect.Value
	switch t.Kind() {
	case reflect.Struct:
		field, found := fieldOf(t, name)
		if found && v.IsValid() {
			return v.FieldByIndex(field.Index), field.Type, true
		}
		return none, field.Type, found
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
