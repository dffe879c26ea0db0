package schema

import "github.com/go-json-experiment/json/jsontext"

// Valid reports whether any value, not just an object, is valid in the sense of JSON
// Schema, without coercion and without Rondo's notation of integers.
func Valid(schema, instance jsontext.Value) (bool, error) {
	r, err := compile(schema)
	if err != nil {
		return false, err
	}
	rd := newReader()
	defer rd.release()
	v, err := rd.read(instance)
	if err != nil {
		return false, err
	}
	quiet, loud := checker{steps: 1e6}, checker{loud: true, steps: 1e6}
	valid := quiet.check(r, &v)
	if valid != loud.check(r, &v) || valid != (len(loud.problems) == 0) {
		panic("the quiet and the loud check differ")
	}
	return valid, nil
}
