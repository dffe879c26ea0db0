package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// finder decides where credentials come from.
type finder struct {
	files  *sharedFiles
	region string
	client *http.Client
}

// find returns the source of an identity.
func (f *finder) find(who Identity, profile string) (source, error) {
	switch {
	case who.Key != "":
		return static(who.Key, who.Secret, who.Token), nil
	case who.Profile != "":
		return f.ofProfile(profile, nil)
	}
	if key, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"); key != "" && secret != "" {
		return static(key, secret, os.Getenv("AWS_SESSION_TOKEN")), nil
	}
	if file := os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE"); file != "" {
		r := role{arn: os.Getenv("AWS_ROLE_ARN"), session: os.Getenv("AWS_ROLE_SESSION_NAME")}
		return f.webIdentity(r, file)
	}
	return f.ofProfile(profile, nil)
}

func static(key, secret, token string) source {
	return func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: key, SecretAccessKey: secret, SessionToken: token}, nil
	}
}

// ofProfile returns the source of a profile. above lists the profiles whose source it is.
func (f *finder) ofProfile(name string, above []string) (source, error) {
	p, err := f.files.profile(name)
	if err != nil {
		return nil, err
	}
	r := role{
		arn: p["role_arn"], session: p["role_session_name"], externalID: p["external_id"], seconds: p["duration_seconds"],
	}
	if r.arn == "" {
		return f.direct(name, p)
	}
	if p["mfa_serial"] != "" {
		return nil, fmt.Errorf("profile %s asks for a one-time password (mfa_serial), which cannot be typed here; name a profile with credential_process", name)
	}
	if file := p["web_identity_token_file"]; file != "" {
		return f.webIdentity(r, file)
	}
	base, err := f.base(name, p, above)
	if err != nil {
		return nil, err
	}
	return f.assumed(r, base)
}

// base returns the source that a profile's role is assumed with.
func (f *finder) base(name string, p section, above []string) (source, error) {
	from := p["source_profile"]
	switch {
	case from != "" && p["credential_source"] != "":
		return nil, fmt.Errorf("profile %s has both source_profile and credential_source; remove one", name)
	case from == name: // its own keys
		return f.direct(name, p)
	case slices.Contains(above, from):
		return nil, fmt.Errorf("the profiles %s take their credentials from each other", strings.Join(append(above, name), ", "))
	case from != "":
		return f.ofProfile(from, append(above, name))
	}
	switch p["credential_source"] {
	case "Environment":
		key, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
		if key == "" || secret == "" {
			return nil, fmt.Errorf("profile %s wants the keys of the environment; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", name)
		}
		return static(key, secret, os.Getenv("AWS_SESSION_TOKEN")), nil
	case "EcsContainer":
		return container()
	case "Ec2InstanceMetadata":
		return f.machine(), nil
	case "":
		return f.direct(name, p)
	}
	return nil, fmt.Errorf("profile %s has the credential_source %q, which is not known", name, p["credential_source"])
}

// direct returns the source that a profile describes without a role.
func (f *finder) direct(name string, p section) (source, error) {
	switch {
	case p["aws_access_key_id"] != "" && p["aws_secret_access_key"] != "":
		return static(p["aws_access_key_id"], p["aws_secret_access_key"], p["aws_session_token"]), nil
	case p["sso_account_id"] != "" || p["sso_session"] != "" || p["sso_start_url"] != "":
		return f.singleSignOn(name, p)
	case p["credential_process"] != "":
		return process(p["credential_process"]), nil
	case p["login_session"] != "":
		return nil, fmt.Errorf("profile %s is a session of aws login; name a profile with credential_process = aws configure export-credentials --profile %s --format process", name, name)
	case containerAddress() != "":
		return container()
	}
	return f.machine(), nil
}

// endpoint returns the address of a service: the one of the environment, or AWS's own in a region.
func endpoint(variable, service, region string) string {
	if own := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_"+variable), os.Getenv("AWS_ENDPOINT_URL")); own != "" {
		return strings.TrimRight(own, "/")
	}
	host := "https://" + service + "." + region + ".amazonaws.com"
	if strings.HasPrefix(region, "cn-") {
		host += ".cn"
	}
	return host
}

var errIncomplete = errors.New("the answer has no complete credentials")
