package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// role is a role that credentials are got for.
type role struct {
	arn, session, externalID string
	seconds                  string
}

// stsVersion is the version of the Security Token Service's API.
const stsVersion = "2011-06-15"

// form returns the parameters of a request for the role.
func (r role) form(action string) url.Values {
	form := url.Values{
		"Action": {action}, "Version": {stsVersion}, "RoleArn": {r.arn},
		"RoleSessionName": {cmp.Or(r.session, "rondo-"+strconv.FormatInt(time.Now().UnixNano(), 10))},
	}
	if r.externalID != "" {
		form.Set("ExternalId", r.externalID)
	}
	if r.seconds != "" {
		form.Set("DurationSeconds", r.seconds)
	}
	return form
}

// assumed returns the source of a role that is assumed with other credentials.
func (f *finder) assumed(r role, base source) (source, error) {
	return func(ctx context.Context) (aws.Credentials, error) {
		with, err := base(ctx)
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("get the credentials to assume %s with: %w", r.arn, err)
		}
		return f.askSTS(ctx, r.form("AssumeRole"), &with)
	}, nil
}

// webIdentity returns the source of a role that is assumed with a token in a file, which is read each
// time since it is renewed there.
func (f *finder) webIdentity(r role, file string) (source, error) {
	if r.arn == "" {
		return nil, errors.New("a web identity token needs a role; set AWS_ROLE_ARN or role_arn")
	}
	return func(ctx context.Context) (aws.Credentials, error) {
		token, err := os.ReadFile(file)
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("read the web identity token: %w", err)
		}
		form := r.form("AssumeRoleWithWebIdentity")
		form.Set("WebIdentityToken", strings.TrimSpace(string(token)))
		return f.askSTS(ctx, form, nil)
	}, nil
}

// assumedRole is the answer to both actions; the name of the outer elements depends on the action.
type assumedRole struct {
	Credentials stsCredentials `xml:"AssumeRoleResult>Credentials"`
	Web         stsCredentials `xml:"AssumeRoleWithWebIdentityResult>Credentials"`
}

type stsCredentials struct {
	AccessKeyID     string    `xml:"AccessKeyId"`
	SecretAccessKey string    `xml:"SecretAccessKey"`
	SessionToken    string    `xml:"SessionToken"`
	Expiration      time.Time `xml:"Expiration"`
}

// askSTS sends a request to the Security Token Service; signer nil signs nothing.
func (f *finder) askSTS(ctx context.Context, form url.Values, signer *aws.Credentials) (aws.Credentials, error) {
	region := cmp.Or(f.region, "us-east-1")
	body := form.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint("STS", "sts", region)+"/", strings.NewReader(body))
	if err != nil {
		return aws.Credentials{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	if signer != nil {
		sum := sha256.Sum256([]byte(body))
		if err := v4.NewSigner().SignHTTP(ctx, *signer, req, hex.EncodeToString(sum[:]), "sts", region, time.Now()); err != nil {
			return aws.Credentials{}, err
		}
	}
	text, err := send(f.client, req)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("assume the role %s: %w", form.Get("RoleArn"), err)
	}
	var answer assumedRole
	if err := xml.Unmarshal(text, &answer); err != nil {
		return aws.Credentials{}, fmt.Errorf("assume the role %s: %w", form.Get("RoleArn"), err)
	}
	c := answer.Credentials
	if c.AccessKeyID == "" {
		c = answer.Web
	}
	return temporary(c.AccessKeyID, c.SecretAccessKey, c.SessionToken, c.Expiration)
}

// temporary returns credentials that end; a zero time means that they do not.
func temporary(key, secret, token string, until time.Time) (aws.Credentials, error) {
	if key == "" || secret == "" {
		return aws.Credentials{}, errIncomplete
	}
	return aws.Credentials{
		AccessKeyID: key, SecretAccessKey: secret, SessionToken: token, CanExpire: !until.IsZero(), Expires: until,
	}, nil
}
