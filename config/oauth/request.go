package oauth

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"
)

const (
	// requestTimeout bounds one request to an authorisation server.
	requestTimeout = 30 * time.Second
	// answerLimit bounds its answer, in bytes.
	answerLimit = 1 << 20
)

func statusText(status int) string { return strconv.Itoa(status) + " " + http.StatusText(status) }

// causes are the reasons behind error codes (RFC 6749, RFC 8628, and GitHub's own).
var causes = map[string]error{
	"access_denied": ErrDenied, "authorization_declined": ErrDenied,
	"expired_token": ErrExpired,
	"invalid_grant": ErrRevoked, "bad_verification_code": ErrRevoked, "refresh_token_reused": ErrRevoked,
}

// retrieval makes an error of package oauth2 one of this package. The answer of the server is
// left out: it may have secrets in it.
func retrieval(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		e := &Error{Code: refused.ErrorCode, Text: refused.ErrorDescription, cause: causes[refused.ErrorCode]}
		if refused.Response != nil {
			e.Status = refused.Response.StatusCode
		}
		return e
	}
	return err
}

// withClient makes package oauth2 use a client.
func withClient(ctx context.Context, client *http.Client) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, cmp.Or(client, http.DefaultClient))
}

// postJSON posts one value and reads another. An answer with another status than 200 is an
// [*Error].
func postJSON(ctx context.Context, client *http.Client, url string, header http.Header, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return exchange(ctx, client, http.MethodPost, url, header, bytes.NewReader(body), out)
}

// exchange makes a request and reads a JSON answer into out, which may be nil.
func exchange(ctx context.Context, client *http.Client, method, url string, header http.Header, body io.Reader, out any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return err
	}
	maps.Copy(req.Header, header)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := cmp.Or(client, http.DefaultClient).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return refusal(resp.StatusCode, data)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("the answer of %s cannot be read", req.URL.Host)
	}
	return nil
}

// refusal reads an error code, which servers place differently.
func refusal(status int, data []byte) *Error {
	var answer struct {
		Error any    `json:"error"`
		Text  string `json:"error_description"`
	}
	e := &Error{Status: status}
	if json.Unmarshal(data, &answer) == nil {
		switch v := answer.Error.(type) {
		case string:
			e.Code = v
		case map[string]any:
			e.Code, _ = v["code"].(string)
		}
		e.Text = answer.Text
	}
	e.cause = causes[e.Code]
	return e
}
