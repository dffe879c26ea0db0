package account_test

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai/bedrock/account"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// services plays all of AWS's services that give credentials, and keeps what they were asked.
type services struct {
	mu    sync.Mutex
	asked []string // method, path and what matters of the request
	until time.Time
	down  bool
}

// serve starts the services and points the environment, which is otherwise empty, at them.
func serve(t *testing.T) *services {
	t.Helper()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	s := &services{until: time.Now().Add(time.Hour)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	for _, name := range []string{"AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL_SSO", "AWS_ENDPOINT_URL_SSO_OIDC", "AWS_EC2_METADATA_SERVICE_ENDPOINT"} {
		t.Setenv(name, server.URL)
	}
	t.Setenv("TEST_SERVICES", server.URL)
	return s
}

func (s *services) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	note := r.Method + " " + r.URL.Path
	until := s.until.UTC().Format(time.RFC3339)
	switch {
	case s.down:
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.URL.Path == "/" && strings.Contains(string(body), "Action=AssumeRoleWithWebIdentity"):
		note = "web identity " + string(body)
		fmt.Fprintf(w, `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>WEB</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>%s</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`, until)
	case r.URL.Path == "/" && strings.Contains(string(body), "denied"):
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<ErrorResponse><Error><Code>AccessDenied</Code><Message>not you</Message></Error></ErrorResponse>`)
	case r.URL.Path == "/":
		note = "assume " + r.Header.Get("Authorization") + " token=" + r.Header.Get("X-Amz-Security-Token") + " " + string(body)
		fmt.Fprintf(w, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ROLE%d</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>%s</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`, len(s.asked), until)
	case r.URL.Path == "/federation/credentials":
		note += " " + r.URL.RawQuery + " " + r.Header.Get("X-Amz-Sso_bearer_token")
		fmt.Fprintf(w, `{"roleCredentials":{"accessKeyId":"SSO","secretAccessKey":"s","sessionToken":"t","expiration":%d}}`, s.until.UnixMilli())
	case r.URL.Path == "/token":
		note += " " + string(body)
		fmt.Fprint(w, `{"accessToken":"renewed","expiresIn":3600,"refreshToken":"next","tokenType":"Bearer"}`)
	case r.URL.Path == "/container":
		note += " " + r.Header.Get("Authorization")
		fmt.Fprintf(w, `{"RoleArn":"x","AccessKeyId":"CONTAINER","SecretAccessKey":"s","Token":"t","Expiration":%q}`, until)
	case r.URL.Path == "/latest/api/token":
		note += " " + r.Header.Get("X-Aws-Ec2-Metadata-Token-Ttl-Seconds")
		fmt.Fprint(w, "IMDS")
	case r.Header.Get("X-Aws-Ec2-Metadata-Token") != "IMDS":
		w.WriteHeader(http.StatusUnauthorized)
	case r.URL.Path == "/latest/meta-data/iam/security-credentials/":
		fmt.Fprint(w, "the-role\n")
	case r.URL.Path == "/latest/meta-data/iam/security-credentials/the-role":
		fmt.Fprintf(w, `{"Code":"Success","Type":"AWS-HMAC","AccessKeyId":"MACHINE","SecretAccessKey":"s","Token":"t","Expiration":%q}`, until)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	s.asked = append(s.asked, note)
}

// count returns how often a service was asked.
func (s *services) count(beginning string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, note := range s.asked {
		if strings.HasPrefix(note, beginning) {
			n++
		}
	}
	return n
}

func (s *services) set(until time.Time, down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until, s.down = until, down
}

// write writes a file below the user's home.
func write(t *testing.T, path, text string) string {
	t.Helper()
	path = filepath.Join(os.Getenv("HOME"), path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const configFile = "\uFEFF# accounts\n" +
	"[default]\nregion = sa-east-1\naws_access_key_id = DEFAULT\naws_secret_access_key = d ; not part of it\n" +
	"s3 =\n  region = nested\n" +
	"[profile p1]\nREGION=ap-south-1\naws_access_key_id=P1\naws_secret_access_key=x\naws_session_token=T1\n" +
	"[ profile  role ]\nrole_arn=arn:aws:iam::1:role/r\nsource_profile=p1\nexternal_id=ext\nrole_session_name=me\nduration_seconds=900\nregion=eu-west-1\n" +
	"[profile chain]\nrole_arn=arn:aws:iam::2:role/r\nsource_profile=role\n" +
	"[profile self]\nrole_arn=arn:aws:iam::3:role/r\nsource_profile=self\naws_access_key_id=SELF\naws_secret_access_key=x\n" +
	"[profile ofenv]\nrole_arn=arn:aws:iam::4:role/r\ncredential_source=Environment\n" +
	"[profile ofmachine]\nrole_arn=arn:aws:iam::5:role/r\ncredential_source=Ec2InstanceMetadata\n" +
	"[profile ofcontainer]\nrole_arn=arn:aws:iam::6:role/r\ncredential_source=EcsContainer\n" +
	"[profile web]\nrole_arn=arn:aws:iam::7:role/r\nweb_identity_token_file=TOKENFILE\n" +
	"[profile sso]\nsso_session=corp\nsso_account_id=123\nsso_role_name=dev\n" +
	"[sso-session corp]\nsso_region=us-west-2\nsso_start_url=https://corp.awsapps.com/start\n" +
	"[profile oldsso]\nsso_start_url=https://old.awsapps.com/start\nsso_region=us-west-2\nsso_account_id=123\nsso_role_name=dev\n" +
	"[profile process]\ncredential_process=echo '{\"Version\":1,\"AccessKeyId\":\"PROCESS\",\"SecretAccessKey\":\"p\",\"SessionToken\":\"t\"}'\n" +
	"[profile a]\nrole_arn=arn:a\nsource_profile=b\n[profile b]\nrole_arn=arn:b\nsource_profile=a\n" +
	"[profile mfa]\nrole_arn=arn:m\nsource_profile=p1\nmfa_serial=arn:mfa\n" +
	"[profile both]\nrole_arn=arn:m\nsource_profile=p1\ncredential_source=Environment\n" +
	"[profile odd]\nrole_arn=arn:m\ncredential_source=Moon\n" +
	"[profile denied]\nrole_arn=denied\nsource_profile=p1\n" +
	"[profile login]\nlogin_session=arn:x\n" +
	"[profile halfsso]\nsso_session=corp\n[profile nosession]\nsso_session=gone\nsso_account_id=1\nsso_role_name=r\n" +
	"[profile fails]\ncredential_process=exit 3\n[profile prints]\ncredential_process=echo very-secret\n" +
	"[profile version]\ncredential_process=echo '{\"Version\":2}'\n" +
	"[profile empty]\ncredential_process=echo '{\"Version\":1}'\n"

// prepare writes the shared files and starts the services.
func prepare(t *testing.T) *services {
	t.Helper()
	s := serve(t)
	token := write(t, "web-token", "web-token-text\n")
	write(t, ".aws/config", strings.ReplaceAll(configFile, "TOKENFILE", token))
	write(t, ".aws/credentials", "[shared]\naws_access_key_id=SHARED\naws_secret_access_key=x\n[p1]\naws_access_key_id=P1OVER\naws_secret_access_key=x\n")
	return s
}

// signedOn writes the token of a single sign-on.
func signedOn(t *testing.T, key, text string) string {
	t.Helper()
	sum := sha1.Sum([]byte(key))
	return write(t, ".aws/sso/cache/"+hex.EncodeToString(sum[:])+".json", text)
}

func TestWhereCredentialsAreFound(t *testing.T) {
	static := map[string]string{"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "T"}
	tests := []struct {
		name        string
		who         account.Identity
		env         map[string]string
		key, token  string // the credentials that are found
		region      string
		asked       string // what a service was asked, in part
		onlyOnShell bool
	}{
		{name: "keys of the caller", who: account.Identity{Key: "GIVEN", Secret: "s", Profile: "p1"}, env: static, key: "GIVEN", region: "ap-south-1"},
		{name: "profile of the caller wins over the environment", who: account.Identity{Profile: "shared"}, env: static, key: "SHARED"},
		{name: "region of the caller", who: account.Identity{Region: "r-1"}, env: map[string]string{"AWS_REGION": "r-2"}, key: "DEFAULT", region: "r-1"},
		{name: "environment", env: static, key: "ENV", token: "T", region: "sa-east-1"},
		{name: "half a key of the environment", env: map[string]string{"AWS_ACCESS_KEY_ID": "ENV"}, key: "DEFAULT", region: "sa-east-1"},
		{name: "default profile", key: "DEFAULT", region: "sa-east-1"},
		{name: "AWS_DEFAULT_PROFILE", env: map[string]string{"AWS_DEFAULT_PROFILE": "shared", "AWS_DEFAULT_REGION": "r-3"}, key: "SHARED", region: "r-3"},
		{name: "the credentials file wins", env: map[string]string{"AWS_PROFILE": "p1"}, key: "P1OVER", token: "T1", region: "ap-south-1"},
		{name: "role", env: map[string]string{"AWS_PROFILE": "role"}, key: "ROLE0", token: "t", region: "eu-west-1", asked: "assume AWS4-HMAC-SHA256 Credential=P1OVER/"},
		{name: "parameters of a role", env: map[string]string{"AWS_PROFILE": "role"}, key: "ROLE0", token: "t", region: "eu-west-1", asked: "Action=AssumeRole&DurationSeconds=900&ExternalId=ext&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&RoleSessionName=me&Version=2011-06-15"},
		{name: "region of a role", env: map[string]string{"AWS_PROFILE": "role"}, key: "ROLE0", token: "t", region: "eu-west-1", asked: "/eu-west-1/sts/aws4_request"},
		{name: "chain of roles", env: map[string]string{"AWS_PROFILE": "chain"}, key: "ROLE1", token: "t", asked: "Credential=ROLE0/"},
		{name: "role with its own keys", env: map[string]string{"AWS_PROFILE": "self"}, key: "ROLE0", token: "t", asked: "Credential=SELF/"},
		{name: "role with the environment's keys", who: account.Identity{Profile: "ofenv"}, env: static, key: "ROLE0", token: "t", asked: "Credential=ENV/"},
		{name: "role with the machine's credentials", env: map[string]string{"AWS_PROFILE": "ofmachine"}, key: "ROLE3", token: "t", asked: "Credential=MACHINE/"},
		{name: "role with the container's credentials", env: map[string]string{"AWS_PROFILE": "ofcontainer", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "SERVER/container"}, key: "ROLE1", token: "t", asked: "Credential=CONTAINER/"},
		{name: "web identity of a profile", env: map[string]string{"AWS_PROFILE": "web"}, key: "WEB", token: "t", asked: "WebIdentityToken=web-token-text"},
		{name: "web identity of the environment", env: map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "HOME/web-token", "AWS_ROLE_ARN": "arn:w", "AWS_ROLE_SESSION_NAME": "n"}, key: "WEB", token: "t", region: "sa-east-1", asked: "RoleSessionName=n"},
		{name: "single sign-on", env: map[string]string{"AWS_PROFILE": "sso"}, key: "SSO", token: "t", asked: "GET /federation/credentials account_id=123&role_name=dev of-corp"},
		{name: "older single sign-on", env: map[string]string{"AWS_PROFILE": "oldsso"}, key: "SSO", token: "t", asked: "of-old"},
		{name: "process", env: map[string]string{"AWS_PROFILE": "process"}, key: "PROCESS", token: "t", onlyOnShell: true},
		{name: "container", env: map[string]string{"AWS_CONFIG_FILE": "none", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "SERVER/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "tok"}, key: "CONTAINER", token: "t", asked: "GET /container tok"},
		{name: "container with a token in a file", env: map[string]string{"AWS_CONFIG_FILE": "none", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "SERVER/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "HOME/web-token"}, key: "CONTAINER", token: "t", asked: "GET /container web-token-text"},
		{name: "machine", env: map[string]string{"AWS_CONFIG_FILE": "none"}, key: "MACHINE", token: "t", asked: "PUT /latest/api/token 300"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.onlyOnShell && runtime.GOOS == "windows" {
				t.Skip("needs a shell")
			}
			s := prepare(t)
			for key, value := range map[string]string{"corp": "of-corp", "https://old.awsapps.com/start": "of-old"} {
				signedOn(t, key, fmt.Sprintf(`{"accessToken":%q,"expiresAt":%q}`, value, time.Now().Add(time.Hour).UTC().Format(time.RFC3339)))
			}
			for name, value := range test.env {
				t.Setenv(name, strings.NewReplacer("SERVER", os.Getenv("TEST_SERVICES"), "HOME", os.Getenv("HOME")).Replace(value))
			}
			a, err := account.Load(test.who)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time they are kept
				got, err := a.Retrieve(t.Context())
				if err != nil || got.AccessKeyID != test.key || got.SessionToken != test.token {
					t.Fatalf("got %q with the token %q, %v; want %q with %q", got.AccessKeyID, got.SessionToken, err, test.key, test.token)
				}
			}
			if a.Region != test.region {
				t.Errorf("region %q, want %q", a.Region, test.region)
			}
			if all := strings.Join(s.asked, "\n"); !strings.Contains(all, test.asked) || test.asked == "" && all != "" {
				t.Errorf("asked %q, want %q", all, test.asked)
			}
		})
	}
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	tests := map[string]struct {
		profile string
		env     map[string]string
		want    string
	}{
		"no such profile":          {"missing", nil, `no profile "missing"`},
		"circle":                   {"a", nil, "from each other"},
		"one-time password":        {"mfa", nil, "credential_process"},
		"two sources":              {"both", nil, "remove one"},
		"unknown source":           {"odd", nil, `"Moon"`},
		"keys that are not set":    {"ofenv", nil, "AWS_ACCESS_KEY_ID"},
		"refused role":             {"denied", nil, "AccessDenied: not you"},
		"aws login":                {"login", nil, "export-credentials"},
		"incomplete sign-on":       {"halfsso", nil, "sso_account_id"},
		"no session of a sign-on":  {"nosession", nil, `"gone"`},
		"not signed on":            {"sso", nil, "aws sso login --profile sso"},
		"process fails":            {"fails", nil, "exit status 3"},
		"process prints no JSON":   {"prints", nil, "no JSON"},
		"version of a process":     {"version", nil, "version 2"},
		"process without keys":     {"empty", nil, "no complete credentials"},
		"no role of a web token":   {"", map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "x"}, "AWS_ROLE_ARN"},
		"no file of a web token":   {"", map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "x", "AWS_ROLE_ARN": "arn"}, "web identity token"},
		"container of a stranger":  {"", map[string]string{"AWS_CONFIG_FILE": "none", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://example.com/x"}, "without https"},
		"container without a host": {"", map[string]string{"AWS_CONFIG_FILE": "none", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "x"}, "no address"},
		"no machine":               {"", map[string]string{"AWS_CONFIG_FILE": "none", "AWS_EC2_METADATA_DISABLED": "TRUE"}, "no credentials are configured"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			prepare(t)
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			a, err := account.Load(account.Identity{Profile: test.profile})
			if err == nil {
				_, err = a.Retrieve(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "very-secret") {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestCredentialsAreRenewedBeforeTheyEnd(t *testing.T) {
	s := prepare(t)
	t.Setenv("AWS_PROFILE", "role")
	a, err := account.Load(account.Identity{})
	if err != nil {
		t.Fatal(err)
	}
	retrieve := func() string {
		t.Helper()
		got, err := a.Retrieve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got.AccessKeyID
	}
	s.set(time.Now().Add(30*time.Second), false)
	first, second := retrieve(), retrieve()
	if first == second || s.count("assume") != 2 {
		t.Errorf("credentials that end in half a minute are kept: %s, %s", first, second)
	}
	s.set(time.Now(), true)
	if again := retrieve(); again != second {
		t.Errorf("got %s while the service is down, want %s, which still holds", again, second)
	}
	s.set(time.Now().Add(-time.Second), false)
	ended := retrieve() // those that are already over when they come
	s.set(time.Now(), true)
	if got, err := a.Retrieve(t.Context()); err == nil || got.HasKeys() {
		t.Errorf("got %s after the end of %s", got.AccessKeyID, ended)
	}
	s.set(time.Now().Add(time.Hour), false)
	last, asked := retrieve(), s.count("assume")
	if retrieve() != last || s.count("assume") != asked {
		t.Error("credentials that hold for an hour are got again")
	}
}

func TestASignOnIsRenewedForAllPrograms(t *testing.T) {
	s := prepare(t)
	t.Setenv("AWS_PROFILE", "sso")
	file := signedOn(t, "corp", `{"accessToken":"old","expiresAt":"2020-06-17T10:02:08UTC","refreshToken":"once","clientId":"id","clientSecret":"secret","startUrl":"https://corp"}`)
	a, err := account.Load(account.Identity{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Retrieve(t.Context()); err != nil || got.AccessKeyID != "SSO" {
		t.Fatalf("got %s, %v", got.AccessKeyID, err)
	}
	if s.count(`POST /token {`) != 1 || s.count("GET /federation/credentials account_id=123&role_name=dev renewed") != 1 {
		t.Errorf("asked %q", s.asked)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"accessToken":"renewed"`, `"refreshToken":"next"`, `"startUrl":"https://corp"`, `"clientSecret":"secret"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
	signedOn(t, "corp", `{"accessToken":"old","expiresAt":"2020-06-17T10:02:08Z"}`)
	if a, err = account.Load(account.Identity{}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Retrieve(t.Context()); err == nil || !strings.Contains(err.Error(), "has ended; run aws sso login") {
		t.Errorf("a token that cannot be renewed: %v", err)
	}
}

func TestACancelledContextEndsTheWait(t *testing.T) {
	serve(t)
	arrived, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(arrived); <-release }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.URL)
	a, err := account.Load(account.Identity{})
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var first error
	var wait sync.WaitGroup
	wait.Go(func() { _, first = a.Retrieve(ctx) })
	<-arrived
	cancel(stop)
	wait.Wait()
	if _, err := a.Retrieve(ctx); !errors.Is(first, stop) || !errors.Is(err, stop) {
		t.Errorf("got %v and %v", first, err)
	}
}
