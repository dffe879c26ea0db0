package bedrock

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/bedrock/account"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// service is the name that signatures are made for.
const service = "bedrock"

// noCredential says what to set. What was tried last (a machine that did not answer when it was
// asked for a role) is seldom what the user meant; asking again does not help.
func noCredential(cause error) error {
	return &ai.StatusError{
		Code: "no_credential", Retry: new(false),
		Message: fmt.Sprintf("there is no credential for Amazon Bedrock: set AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK (%v)", cause),
	}
}

// headers returns the wire's own headers, and whether the request has to be signed since
// they hold no credential.
func headers(req *ai.Request) (h http.Header, sign bool) {
	h = http.Header{"Accept": {"application/vnd.amazon.eventstream"}}
	token := strings.TrimSpace(req.Options.APIKey)
	if token == "" {
		token = strings.TrimSpace(req.Options.Getenv("AWS_BEARER_TOKEN_BEDROCK"))
	}
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
		return h, false
	}
	return h, req.Options.Getenv("AWS_BEDROCK_SKIP_AUTH") != "1" && !authorized(req)
}

// authorized reports whether the model or the options bring a credential of their own.
func authorized(req *ai.Request) bool {
	for _, layer := range []map[string]string{req.Model.Headers, req.Options.Headers} {
		for name, value := range layer {
			if value != "" && strings.EqualFold(name, "Authorization") {
				return true
			}
		}
	}
	return false
}

// identityOf returns what a request says of the account that asks.
func identityOf(o *ai.Options) account.Identity {
	return account.Identity{
		Profile: o.Env["AWS_PROFILE"], Region: cmp.Or(o.Env["AWS_REGION"], o.Env["AWS_DEFAULT_REGION"]),
		Key: o.Env["AWS_ACCESS_KEY_ID"], Secret: o.Env["AWS_SECRET_ACCESS_KEY"], Token: o.Env["AWS_SESSION_TOKEN"],
	}
}

// account returns the account of a request, which is kept.
func (c *Client) account(o *ai.Options) (*account.Account, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	who := identityOf(o)
	if found := c.accounts[who]; found != nil {
		return found, nil
	}
	found, err := account.Load(who)
	if err != nil {
		return nil, noCredential(err)
	}
	if c.accounts == nil {
		c.accounts = make(map[account.Identity]*account.Account)
	}
	c.accounts[who] = found
	return found, nil
}

// signer signs each attempt anew: a signature holds for minutes, and credentials of a role
// are renewed.
func (c *Client) signer(req *ai.Request, region string) wire.Sign {
	return func(r *http.Request, payload []byte) error {
		ctx := r.Context()
		from, err := c.account(&req.Options)
		if err != nil {
			return err
		}
		credentials, err := from.Retrieve(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return noCredential(err)
		}
		sum := sha256.Sum256(payload)
		return v4.NewSigner().SignHTTP(ctx, credentials, r, hex.EncodeToString(sum[:]), service, region, time.Now())
	}
}
