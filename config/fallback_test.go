package config_test

import (
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/config"
)

func TestSuccessorsOfModels(t *testing.T) {
	c := load(t, map[string]string{
		config.ModelsFile: lab,
		config.SettingsFile: `{"modelFallbacks":{
			"lab/m":["openai/gpt-5.5:high","nope","lab/plain","lab/m"],
			"lab/own":[],
			"*":["anthropic/claude-opus-4-8"]}}`,
	})
	for at, want := range map[string]string{
		"lab/m": "openai/gpt-5.5:high lab/plain:", "lab/own": "", "lab/plain": "anthropic/claude-opus-4-8:", "anthropic/claude-opus-4-8": "",
	} {
		provider, id, _ := strings.Cut(at, "/")
		next, errs := c.Successors(c.Model(provider, id))
		var got []string
		for _, s := range next {
			got = append(got, s.Model.Provider+"/"+s.Model.ID+":"+string(s.Thinking))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", at, got, want)
		}
		if (len(errs) == 1) != (at == "lab/m") || len(errs) == 1 && !strings.Contains(errs[0].Error(), `modelFallbacks of lab/m: "nope" is no model`) {
			t.Errorf("%s: %v", at, errs)
		}
	}
	for _, wrong := range []string{`{"modelFallbacks":{"gpt-5.5":["x"]}}`, `{"modelFallbacks":{"*":[" "]}}`, `{"modelFallbacks":{"*":"x"}}`} {
		warnings := load(t, map[string]string{config.SettingsFile: wrong}).Warnings()
		if len(warnings) != 1 || !strings.Contains(warnings[0].Key, "modelFallbacks") {
			t.Errorf("%s: %v", wrong, warnings)
		}
	}
}
