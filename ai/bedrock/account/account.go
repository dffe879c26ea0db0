package account

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Identity is what a caller says of the account itself; what is empty is looked for.
type Identity struct {
	// Profile is a profile of the shared files; it wins over the keys of the environment.
	Profile string
	// Region is where services are asked.
	Region string
	// Key, Secret and Token are credentials; Token belongs to temporary ones.
	Key, Secret, Token string
}

// Account is an AWS account that requests are signed for. It is safe for concurrent use.
type Account struct {
	// Region is where services are asked; empty if nothing names one.
	Region string

	source source
	lock   chan struct{} // held while credentials are got; a channel, so that waiting can be cancelled
	held   aws.Credentials
}

// source gets credentials anew.
type source func(ctx context.Context) (aws.Credentials, error)

// renewal is how long before their end credentials are renewed.
const renewal = time.Minute

// Load finds an account. It reads files and asks no server; errors are about files that cannot be
// read and profiles that do not exist or lack something.
func Load(who Identity) (*Account, error) {
	files, err := readShared()
	if err != nil {
		return nil, err
	}
	named := cmp.Or(who.Profile, os.Getenv("AWS_PROFILE"), os.Getenv("AWS_DEFAULT_PROFILE"), defaultProfile)
	profile, err := files.profile(named)
	if err != nil {
		return nil, err
	}
	region := cmp.Or(who.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), profile["region"])
	f := &finder{files: files, region: region, client: &http.Client{Timeout: 30 * time.Second, CheckRedirect: stay}}
	a := &Account{Region: region, lock: make(chan struct{}, 1)}
	a.source, err = f.find(who, named)
	return a, err
}

// Retrieve returns credentials that are valid, for a minute at least where they can be renewed. An
// error of renewing counts only once the old ones have ended; a cancelled ctx is its cause.
func (a *Account) Retrieve(ctx context.Context) (aws.Credentials, error) {
	select {
	case a.lock <- struct{}{}:
		defer func() { <-a.lock }()
	case <-ctx.Done():
		return aws.Credentials{}, context.Cause(ctx)
	}
	if a.held.HasKeys() && (!a.held.CanExpire || time.Until(a.held.Expires) > renewal) {
		return a.held, nil
	}
	fresh, err := a.source(ctx)
	switch {
	case err == nil:
		a.held = fresh
	case ctx.Err() != nil:
		return aws.Credentials{}, context.Cause(ctx)
	case !a.held.HasKeys() || a.held.Expired():
		return aws.Credentials{}, err
	}
	return a.held, nil
}
