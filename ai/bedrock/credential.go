package bedrock

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// service is the name that signatures are made for.
const service = "bedrock"

// noCredential says what to set. What the SDK tried last (a machine that did not answer when
// it was asked for a role) is seldom what the user meant; asking again does not help.
func noCredential(cause error) error {
	return &ai.StatusError{
		Code: "no_credential", Retry: new(false),
		Message: fmt.Sprintf("there is no credential for Amazon Bedrock: set AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK (the AWS SDK says: %v)", cause),
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

// identity is what a request says of the account that asks; where it is empty, the
// environment and the shared files say it.
type identity struct {
	profile, region    string
	key, secret, token string
}

func identityOf(o *ai.Options) identity {
	return identity{
		profile: o.Env["AWS_PROFILE"], region: cmp.Or(o.Env["AWS_REGION"], o.Env["AWS_DEFAULT_REGION"]),
		key: o.Env["AWS_ACCESS_KEY_ID"], secret: o.Env["AWS_SECRET_ACCESS_KEY"], token: o.Env["AWS_SESSION_TOKEN"],
	}
}

func (i identity) options() []func(*config.LoadOptions) error {
	var options []func(*config.LoadOptions) error
	if i.profile != "" {
		options = append(options, config.WithSharedConfigProfile(i.profile))
	}
	if i.region != "" {
		options = append(options, config.WithRegion(i.region))
	}
	if i.key != "" {
		options = append(options, config.WithCredentialsProvider(aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: i.key, SecretAccessKey: i.secret, SessionToken: i.token}, nil
		})))
	}
	return options
}

// load reads an account's configuration: environment and shared files.
func (c *Client) load(ctx context.Context, o *ai.Options) (*aws.Config, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	who := identityOf(o)
	if account := c.accounts[who]; account != nil {
		return account, nil
	}
	account, err := config.LoadDefaultConfig(ctx, who.options()...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, noCredential(err)
	}
	if c.accounts == nil {
		c.accounts = make(map[identity]*aws.Config)
	}
	c.accounts[who] = &account
	return &account, nil
}

// signer signs each attempt anew: a signature holds for minutes, and credentials of a role
// are renewed.
func (c *Client) signer(req *ai.Request, region string) wire.Sign {
	return func(r *http.Request, payload []byte) error {
		ctx := r.Context()
		account, err := c.load(ctx, &req.Options)
		if err != nil {
			return err
		}
		if account.Credentials == nil {
			return noCredential(errors.New("the configuration names none"))
		}
		credentials, err := account.Credentials.Retrieve(ctx)
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
