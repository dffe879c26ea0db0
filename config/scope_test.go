package config_test

import (
	"strings"
	"testing"
)

func TestScope(t *testing.T) {
	cfg := load(t, models(`{"providers":{
		"lab":{"baseUrl":"http://127.0.0.1:1","api":"openai-completions","apiKey":"k","models":[
			{"id":"m","name":"First"},{"id":"m2"},{"id":"far/m3"},{"id":"m4:free"}]},
		"dry":{"baseUrl":"http://127.0.0.1:1","api":"openai-completions","models":[{"id":"m"},{"id":"d"}]}}}`))
	for _, c := range []struct{ patterns, want, errs string }{
		{"lab/m, lab/m2", "lab/m lab/m2", ""},
		{"m2:high,lab/m", "lab/m2:high lab/m", ""},
		{"m2,lab/*", "lab/m2 lab/m lab/far/m3 lab/m4:free", ""},
		{"lab/m?", "lab/m2", ""},
		{"*3", "lab/far/m3", ""},
		{"*m3:low", "lab/far/m3:low", ""},
		{"m4:free", "lab/m4:free", ""},
		{"*:free", "lab/m4:free", ""},
		{"LAB/M2", "lab/m2", ""},
		{"first", "lab/m", ""},
		{"zz,m2", "lab/m2", `"zz" is no model`},
		{"zz*", "", `"zz*" fits no model that can be used`},
		{"dry/d", "", "dry"},
		{"dry/*", "", `"dry/*" fits no model`},
		{"m[", "", "close its bracket"},
		{" , ", "", ""},
	} {
		scope, errs := cfg.Scope(strings.Split(c.patterns, ","))
		var got []string
		for _, s := range scope {
			name := s.Model.Provider + "/" + s.Model.ID
			if s.Thinking != "" {
				name += ":" + string(s.Thinking)
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s is %v, want %s", c.patterns, got, c.want)
		}
		if (len(errs) > 0) != (c.errs != "") || len(errs) > 0 && !strings.Contains(errs[0].Error(), c.errs) {
			t.Errorf("%s: errors %v, want %q", c.patterns, errs, c.errs)
		}
	}
}
