package ai_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/ai"
)

func TestStatusError_Explains(t *testing.T) {
	tests := []struct {
		status      int
		body        string
		want, code  string
		wantsStatus int
	}{
		{400, `{"error":{"message":"no such knob","type":"invalid_request_error","code":null}}`, "400 no such knob", "invalid_request_error", 400},
		{429, `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`, "429 slow down", "rate_limit_exceeded", 429},
		{500, `{"error":"plain"}`, "500 plain", "", 500},
		{503, `{"message":"down"}`, "503 down", "", 503},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "529 Overloaded", "overloaded_error", 529},
		{400, `[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]`, "400 API key not valid", "INVALID_ARGUMENT", 400},
		{422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, "422 field required", "", 422},
		{404, `{"detail":"Not Found"}`, "404 Not Found", "", 404},
		{400, `{"errors":[{"message":"bad"}]}`, "400 bad", "", 400},
		{429, `{"code":"1308","message":"Usage limit"}`, "429 Usage limit", "1308", 429},
		{502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"boom"}}}`, "502 Provider returned error: boom", "502", 502},
		{0, `{"error":{"message":"gone","code":503}}`, "503 gone", "503", 503},
		{0, `{"error":{"message":"the pool is empty","code":"pool"}}`, "the pool is empty", "pool", 0},
		{0, `x`, "x", "", 0},
		{0, ``, "the provider reported an error without saying which", "", 0},
		{502, "<html><head>\n<title>Bad\n gateway</title>", "502 Bad gateway", "", 502},
		{502, "<html>", "502 the server answered with a web page", "", 502},
		{503, ``, "503 Service Unavailable", "", 503},
		{500, "  oh\n no ", "500 oh no", "", 500},
		{500, `{"error":{"error":{"error":{"error":{"error":{"error":"deep"}}}}}}`, `500 {"error":{"error":{"error":{"error":{"error":{"error":"deep"}}}}}}`, "", 500},
		{599, ``, "599", "", 599},
	}
	for _, test := range tests {
		e := ai.NewStatusError(test.status, nil, []byte(test.body))
		if e.Error() != test.want || e.Code != test.code || e.Status != test.wantsStatus {
			t.Errorf("%d %s: got %q, code %q, status %d", test.status, test.body, e, e.Code, e.Status)
		}
	}
}

func TestStatusError_BodyIsBounded(t *testing.T) {
	e := ai.NewStatusError(500, nil, []byte(strings.Repeat("é", 5000)+"\xff"))
	if len(e.Body) > 4096 || !utf8.ValidString(e.Body) || len(e.Error()) > 400 {
		t.Errorf("the body has %d bytes, the error %d", len(e.Body), len(e.Error()))
	}
}

func TestStatusError_Redact(t *testing.T) {
	e := ai.NewStatusError(401, nil, []byte(`{"error":"bad key sk-abcdefgh for a"}`))
	e.Redact("", "a", "sk-abcdefgh")
	if e.Error() != "401 bad key [redacted] for a" || strings.Contains(e.Body, "sk-") {
		t.Errorf("got %q, %q", e, e.Body)
	}
}

func TestStatusError_RetryAfter(t *testing.T) {
	for value, want := range map[[2]string]time.Duration{
		{"Retry-After", "7"}:                             7 * time.Second,
		{"Retry-After", "0.5"}:                           500 * time.Millisecond,
		{"Retry-After-Ms", "1500"}:                       1500 * time.Millisecond,
		{"Retry-After", "soon"}:                          0,
		{"Retry-After", "-1"}:                            0,
		{"Retry-After", "NaN"}:                           0,
		{"Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"}: 0,
		{"Retry-After", "1e300"}:                         1e6 * time.Hour,
	} {
		e := ai.NewStatusError(429, http.Header{value[0]: {value[1]}}, nil)
		if e.RetryAfter != want {
			t.Errorf("%v: got %v, want %v", value, e.RetryAfter, want)
		}
	}
	later := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	if e := ai.NewStatusError(429, http.Header{"Retry-After": {later}}, nil); e.RetryAfter < 59*time.Minute || e.RetryAfter > time.Hour {
		t.Errorf("a date in an hour gives %v", e.RetryAfter)
	}
}

func FuzzNewStatusError(f *testing.F) {
	f.Add(0, []byte(`{"error":{"message":"x","metadata":{"raw":"y"}}}`))
	f.Add(500, []byte("<title>İ</title>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := ai.NewStatusError(status, nil, body)
		if e.Error() == "" && status != 0 {
			t.Error("it says nothing")
		}
		_ = ai.Classify(e, e.Error())
	})
}
