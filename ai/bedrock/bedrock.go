package bedrock

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/bedrock/account"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// API is the name of this wire in model records.
const API = "bedrock-converse-stream"

// Client asks models that Bedrock serves. The zero value is ready to use; a Client must not
// be copied after its first request.
type Client struct {
	mu       sync.Mutex
	accounts map[account.Identity]*account.Account // those that requests have needed
}

// Stream asks a model. It implements [ai.StreamFunc].
func (c *Client) Stream(ctx context.Context, req *ai.Request) *ai.Stream {
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		return c.ask(ctx, req, w)
	})
}

func (c *Client) ask(ctx context.Context, req *ai.Request, w *ai.Writer) error {
	body, err := newBuilder(req).build()
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	header, unsigned := headers(req)
	to, err := c.place(req, unsigned)
	if err != nil {
		return err
	}
	var sign wire.Sign
	if unsigned {
		sign = c.signer(req, to.region)
	}
	resp, err := wire.PostSigned(ctx, req, to.address(req.Model.ID), header, body, sign)
	if err != nil {
		return named(err)
	}
	defer resp.Body.Close()
	if err := wire.RefuseJSON(resp, "one JSON object"); err != nil {
		return err
	}
	w.SetResponse(resp.Header.Get(requestID), "")
	w.Start()
	r := &reader{w: w, model: req.Model, body: resp.Body}
	return r.read(ctx)
}

// requestID is the header with the id of a request, which AWS's support asks for.
const requestID = "X-Amzn-Requestid"

// escape writes a model's id as one segment of a path, as AWS's SDKs do: what a signature
// covers must not depend on who escapes it.
func escape(id string) string {
	var b strings.Builder
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
