package inputs

import (
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// keepEmptyLists makes lists empty that were given so: infer decodes them to nil, as if they
// were absent. A list in a map stays nil: that its key is there says that it was given.
func keepEmptyLists(decoded reflect.Value, given property.Value) {
	switch {
	case decoded.Kind() == reflect.Pointer && !decoded.IsNil():
		keepEmptyLists(decoded.Elem(), given)
	case decoded.Kind() == reflect.Struct && given.IsMap():
		for name, value := range given.AsMap().All {
			if field, found := fieldOf(decoded.Type(), name); found {
				keepEmptyLists(decoded.FieldByIndex(field.Index), value)
			}
		}
	case decoded.Kind() == reflect.Slice && given.IsArray():
		if decoded.IsNil() {
			decoded.Set(reflect.MakeSlice(decoded.Type(), 0, 0))
		}
		for i, item := range given.AsArray().All {
			if i < decoded.Len() {
				keepEmptyLists(decoded.Index(i), item)
			}
		}
	}
}
