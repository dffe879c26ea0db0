package wire

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/rondo-agent/rondo/ai"
)

// RefuseJSON returns an error for a response that is JSON and no stream: of servers that
// cannot stream, and of proxies that report errors with status 200 or lose the query.
// found is what the error calls such a response.
func RefuseJSON(resp *http.Response, found string) error {
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return err
	}
	if e := ai.NewStatusError(0, resp.Header, text); e.Message != "" {
		return e
	}
	return errors.New("the server answered with " + found + " in place of a stream; check the model's baseUrl")
}
