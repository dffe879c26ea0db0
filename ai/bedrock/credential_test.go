package bedrock_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/bedrock"
)

// seen is a transport that keeps the last request and answers it.
type seen struct {
	t      testing.TB
	status []int // of the first attempts; then it is 200
	n      int
	req    *http.Request
	body   []byte
}

func (s *seen) RoundTrip(r *http.Request) (*http.Response, error) {
	s.req = r
	var err error
	if s.body, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	s.n++
	if s.n <= len(s.status) {
		return &http.Response{StatusCode: s.status[s.n-1], Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"message":"no"}`))}, nil
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(end(s.t, "end_turn")))}, nil
}

// stream asks without a key.
func stream(t testing.TB, c *bedrock.Client, m *ai.Model, s *seen, opts ai.Options) *ai.AssistantMessage {
	t.Helper()
	opts.Client = &http.Client{Transport: s}
	got, err := ai.Complete(t.Context(), c.Stream, &ai.Request{Model: m, Options: opts})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// signedBy checks the signature of a request as the service does.
func signedBy(t testing.TB, s *seen, id, secret, token, region string) {
	t.Helper()
	authorization := s.req.Header.Get("Authorization")
	if want := "AWS4-HMAC-SHA256 Credential=" + id + "/"; !strings.HasPrefix(authorization, want) || !strings.Contains(authorization, "/"+region+"/bedrock/aws4_request") {
		t.Fatalf("signed as %q, want %s in %s", authorization, id, region)
	}
	at, err := time.Parse("20060102T150405Z", s.req.Header.Get("X-Amz-Date"))
	if err != nil {
		t.Fatal(err)
	}
	again := s.req.Clone(t.Context())
	for _, name := range []string{"Authorization", "X-Amz-Date", "X-Amz-Security-Token"} {
		again.Header.Del(name)
	}
	sum := sha256.Sum256(s.body)
	credentials := aws.Credentials{AccessKeyID: id, SecretAccessKey: secret, SessionToken: token}
	if err := v4.NewSigner().SignHTTP(t.Context(), credentials, again, hex.EncodeToString(sum[:]), "bedrock", region, at); err != nil {
		t.Fatal(err)
	}
	if got := again.Header.Get("Authorization"); got != authorization {
		t.Errorf("the signature does not fit the request as it was sent\ngot  %s\nwant %s", authorization, got)
	}
	for _, name := range []string{"content-type", "host", "x-amz-date", "content-length"} {
		if !strings.Contains(authorization, name) {
			t.Errorf("%s is not signed: %s", name, authorization)
		}
	}
}

func TestSignature(t *testing.T) {
	clean(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "SECRET")
	t.Setenv("AWS_SESSION_TOKEN", "a-session-token")
	t.Setenv("AWS_REGION", "eu-west-1")
	s := &seen{t: t}
	m := model()
	m.ID = "arn:aws:bedrock:ap-northeast-1:123456789012:application-inference-profile/ab c"
	m.Headers = map[string]string{"X-Of-Model": "1"}
	var c bedrock.Client
	got := stream(t, &c, m, s, ai.Options{
		OnHeaders: func(_ context.Context, h http.Header) error { h.Set("X-Late", "1"); return nil },
	})
	if got.Failed() {
		t.Fatal(got.ErrorMessage)
	}
	signedBy(t, s, "AKID", "SECRET", "a-session-token", "ap-northeast-1")
	if path := s.req.URL.EscapedPath(); path != "/model/arn%3Aaws%3Abedrock%3Aap-northeast-1%3A123456789012%3Aapplication-inference-profile%2Fab%20c/converse-stream" {
		t.Errorf("asked at %s", path)
	}
	for _, name := range []string{"x-late", "x-of-model", "x-amz-security-token"} {
		if !strings.Contains(s.req.Header.Get("Authorization"), name) {
			t.Errorf("%s is not signed", name)
		}
	}
}

func TestEachAttemptIsSigned(t *testing.T) {
	clean(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "SECRET")
	s := &seen{t: t, status: []int{503}}
	var c bedrock.Client
	if got := stream(t, &c, model(), s, ai.Options{MaxRetries: 1}); got.Failed() || s.n != 2 {
		t.Fatalf("%d attempts: %s", s.n, got.ErrorMessage)
	}
	signedBy(t, s, "AKID", "SECRET", "", "us-east-1")
}

func TestWhoAsks(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	text := "[default]\nregion=sa-east-1\naws_access_key_id=DEFAULT\naws_secret_access_key=d\n[profile p1]\nregion=ap-south-1\naws_access_key_id=P1KEY\naws_secret_access_key=x\n[profile p2]\ncredential_process=/bin/echo '{\"Version\":1,\"AccessKeyId\":\"PROC\",\"SecretAccessKey\":\"p\"}'\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "S"}
	tests := []struct {
		name string
		env  map[string]string
		opts ai.Options
		want string // beginning of Authorization
	}{
		{"keys", keys, ai.Options{}, "AWS4-HMAC-SHA256 Credential=AKID/"},
		{"key of the request", keys, ai.Options{APIKey: "of-request"}, "Bearer of-request"},
		{"bearer token", map[string]string{"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "S", "AWS_BEARER_TOKEN_BEDROCK": "tok"}, ai.Options{}, "Bearer tok"},
		{"default profile", map[string]string{"AWS_CONFIG_FILE": config}, ai.Options{}, "AWS4-HMAC-SHA256 Credential=DEFAULT/"},
		{"profile", map[string]string{"AWS_CONFIG_FILE": config, "AWS_PROFILE": "p1"}, ai.Options{}, "AWS4-HMAC-SHA256 Credential=P1KEY/"},
		{"header of the options", keys, ai.Options{Headers: map[string]string{"authorization": "Bearer gateway"}}, "Bearer gateway"},
		{"keys stored with the provider", keys, ai.Options{Env: map[string]string{"AWS_ACCESS_KEY_ID": "STORED", "AWS_SECRET_ACCESS_KEY": "T"}}, "AWS4-HMAC-SHA256 Credential=STORED/"},
		{"profile stored with the provider", map[string]string{"AWS_CONFIG_FILE": config}, ai.Options{Env: map[string]string{"AWS_PROFILE": "p1"}}, "AWS4-HMAC-SHA256 Credential=P1KEY/"},
		{"token stored with the provider", keys, ai.Options{Env: map[string]string{"AWS_BEARER_TOKEN_BEDROCK": "own"}}, "Bearer own"},
		{"no auth", map[string]string{"AWS_BEDROCK_SKIP_AUTH": "1"}, ai.Options{}, ""},
	}
	if _, err := os.Stat("/bin/echo"); err == nil {
		tests = append(tests, tests[0])
		tests[len(tests)-1].name, tests[len(tests)-1].want = "credential process", "AWS4-HMAC-SHA256 Credential=PROC/"
		tests[len(tests)-1].env = map[string]string{"AWS_CONFIG_FILE": config, "AWS_PROFILE": "p2"}
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			clean(t)
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			s := &seen{t: t}
			var c bedrock.Client
			if got := stream(t, &c, model(), s, test.opts); got.Failed() {
				t.Fatal(got.ErrorMessage)
			}
			if got := s.req.Header.Get("Authorization"); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestNoCredential(t *testing.T) {
	clean(t)
	for _, env := range []map[string]string{{}, {"AWS_PROFILE": "missing"}} {
		for name, value := range env {
			t.Setenv(name, value)
		}
		s := &seen{t: t}
		var c bedrock.Client
		got := stream(t, &c, model(), s, ai.Options{MaxRetries: 3})
		if s.n != 0 || ai.IsRetryable(got) || !strings.Contains(got.ErrorMessage, "AWS_PROFILE") || !strings.Contains(got.ErrorMessage, "AWS_BEARER_TOKEN_BEDROCK") {
			t.Errorf("%v: %d requests, %q, retryable %t", env, s.n, got.ErrorMessage, ai.IsRetryable(got))
		}
	}
}

// Where a model is asked (Pi 0.85, but for an ARN in another region than the catalogue's,
// which is asked in its own, and for AWS_ENDPOINT_URL_BEDROCK_RUNTIME, which counts).
func TestWhereAModelIsAsked(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("[default]\nregion=sa-east-1\n[profile p1]\nregion=ap-south-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const us, eu = "https://bedrock-runtime.us-east-1.amazonaws.com", "https://bedrock-runtime.eu-central-1.amazonaws.com"
	const arn = "arn:aws:bedrock:ap-northeast-1:1:application-inference-profile/a"
	tests := []struct {
		name, base, id string
		env            map[string]string
		host, region   string
	}{
		{"catalogue", us, "", nil, "bedrock-runtime.us-east-1.amazonaws.com", "us-east-1"},
		{"catalogue of Europe", eu, "", nil, "bedrock-runtime.eu-central-1.amazonaws.com", "eu-central-1"},
		{"AWS_REGION", eu, "", map[string]string{"AWS_REGION": "us-west-2"}, "bedrock-runtime.us-west-2.amazonaws.com", "us-west-2"},
		{"AWS_DEFAULT_REGION", us, "", map[string]string{"AWS_DEFAULT_REGION": "us-west-2"}, "bedrock-runtime.us-west-2.amazonaws.com", "us-west-2"},
		{"profile", us, "", map[string]string{"AWS_PROFILE": "p1", "AWS_CONFIG_FILE": config}, "bedrock-runtime.ap-south-1.amazonaws.com", "ap-south-1"},
		{"default profile", us, "", map[string]string{"AWS_CONFIG_FILE": config}, "bedrock-runtime.us-east-1.amazonaws.com", "us-east-1"},
		{"default profile without a base", "", "", map[string]string{"AWS_CONFIG_FILE": config}, "bedrock-runtime.sa-east-1.amazonaws.com", "sa-east-1"},
		{"nothing", "", "", nil, "bedrock-runtime.us-east-1.amazonaws.com", "us-east-1"},
		{"ARN", us, arn, nil, "bedrock-runtime.ap-northeast-1.amazonaws.com", "ap-northeast-1"},
		{"ARN wins", us, arn, map[string]string{"AWS_REGION": "us-west-2"}, "bedrock-runtime.ap-northeast-1.amazonaws.com", "ap-northeast-1"},
		{"China", us, "", map[string]string{"AWS_REGION": "cn-north-1"}, "bedrock-runtime.cn-north-1.amazonaws.com.cn", "cn-north-1"},
		{"GovCloud", us, "", map[string]string{"AWS_REGION": "us-gov-west-1"}, "bedrock-runtime.us-gov-west-1.amazonaws.com", "us-gov-west-1"},
		{"gateway", "https://gw.corp/x", "", map[string]string{"AWS_REGION": "us-west-2"}, "gw.corp", "us-west-2"},
		{"endpoint", us, "", map[string]string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "https://proxy.corp/bedrock"}, "proxy.corp", "us-east-1"},
		{"gateway wins over endpoint", "https://gw.corp/x", "", map[string]string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "https://proxy.corp/b"}, "gw.corp", "us-east-1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			clean(t)
			t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "SECRET")
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			m := model()
			m.BaseURL = test.base
			if test.id != "" {
				m.ID = test.id
			}
			s := &seen{t: t}
			var c bedrock.Client
			if got := stream(t, &c, m, s, ai.Options{}); got.Failed() {
				t.Fatal(got.ErrorMessage)
			}
			if s.req.URL.Host != test.host {
				t.Errorf("asked at %s, want %s", s.req.URL.Host, test.host)
			}
			signedBy(t, s, "AKID", "SECRET", "", test.region)
		})
	}
}

func TestLaw_T2_ErrorsHideSecrets(t *testing.T) {
	clean(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "SECRET")
	t.Setenv("AWS_SESSION_TOKEN", "a-session-token")
	for _, key := range []string{"", "bedrock-api-key-very-secret"} {
		m, client := listen(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"message":"refused: `+r.Header.Get("Authorization")+" "+r.Header.Get("X-Amz-Security-Token")+`"}`)
		})
		var c bedrock.Client
		got, err := ai.Complete(t.Context(), c.Stream, &ai.Request{Model: m, Options: ai.Options{APIKey: key, Client: client}})
		if err != nil || !strings.Contains(got.ErrorMessage, "refused") || strings.Contains(got.ErrorMessage, "secret") || strings.Contains(got.ErrorMessage, "Signature=") || strings.Contains(got.ErrorMessage, "session-token") {
			t.Errorf("got %q, %v", got.ErrorMessage, err)
		}
	}
}

func TestAClientIsSafeForConcurrentRequests(t *testing.T) {
	clean(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "SECRET")
	var c bedrock.Client
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s := &seen{t: t}
			got, err := ai.Complete(t.Context(), c.Stream, &ai.Request{Model: model(), Options: ai.Options{Client: &http.Client{Transport: s}}})
			if err != nil || got.Failed() {
				t.Error(err, got.ErrorMessage)
			}
		})
	}
	all.Wait()
}
