package account

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/internal/lenient"
)

// maxAnswer bounds what is read of a service's answer, in bytes.
const maxAnswer = 1 << 20

// stay refuses redirects: credentials do not follow to another host.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// send sends a request and returns the answer's body. A status other than 200 is an error that names the
// service's code and message; what was sent is never part of it.
func send(client *http.Client, req *http.Request) ([]byte, error) {
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, refused(resp.StatusCode, text)
	}
	return text, nil
}

// refusal is an error of a service, in XML (STS) or JSON (all others).
type refusal struct {
	Code        string `json:"code" xml:"Error>Code"`
	Message     string `json:"message" xml:"Error>Message"`
	Error       string `json:"error" xml:"-"`
	Description string `json:"error_description" xml:"-"`
}

func refused(status int, text []byte) error {
	var r refusal
	if json.Unmarshal(text, &r, lenient.Options, json.MatchCaseInsensitiveNames(true)) != nil && xml.Unmarshal(text, &r) != nil {
		r = refusal{}
	}
	said := ""
	for _, part := range []string{r.Code, r.Error, r.Message, r.Description} {
		if part != "" {
			said += ": " + part
		}
	}
	return fmt.Errorf("status %d%s", status, said)
}

// servedCredentials is how containers, machines and programs write credentials.
type servedCredentials struct {
	Version         int
	Code            string // of machines; Success or empty
	AccessKeyID     string `json:"AccessKeyId"`
	SecretAccessKey string
	Token           string // of containers and machines
	SessionToken    string // of programs
	Expiration      time.Time
}

func (s *servedCredentials) credentials() (aws.Credentials, error) {
	token := s.Token
	if token == "" {
		token = s.SessionToken
	}
	return temporary(s.AccessKeyID, s.SecretAccessKey, token, s.Expiration)
}

// decode reads JSON of others.
func decode(text []byte, into any) error { return json.Unmarshal(text, into, lenient.Options) }
