package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Addresses that exist only within a container or a machine.
const (
	containerHost = "http://169.254.170.2"
	machineHost   = "http://169.254.169.254"
	machineHostV6 = "http://[fd00:ec2::254]"
)

// local is a client for addresses of the machine itself, which no proxy may see.
func local(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout: timeout, CheckRedirect: stay,
		Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: time.Second}).DialContext, DisableKeepAlives: true},
	}
}

// containerAddress returns where a container's credentials are; empty if there is no such place.
func containerAddress() string {
	if path := os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); path != "" {
		return containerHost + path
	}
	return os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI")
}

// container returns the source of a container's credentials (ECS, EKS).
func container() (source, error) {
	address := containerAddress()
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("AWS_CONTAINER_CREDENTIALS_FULL_URI is no address")
	}
	if u.Scheme != "https" && !trusted(u.Hostname()) {
		return nil, fmt.Errorf("AWS_CONTAINER_CREDENTIALS_FULL_URI names %s without https, which is neither this machine nor a container's service", u.Hostname())
	}
	client := local(5 * time.Second)
	return func(ctx context.Context) (aws.Credentials, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return aws.Credentials{}, err
		}
		token := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN")
		if file := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
			text, err := os.ReadFile(file)
			if err != nil {
				return aws.Credentials{}, fmt.Errorf("read the container's token: %w", err)
			}
			token = strings.TrimSpace(string(text))
		}
		if token != "" {
			req.Header.Set("Authorization", token)
		}
		found, err := served(client, req)
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("get the container's credentials: %w", err)
		}
		return found, nil
	}, nil
}

// trusted reports whether a host without https is this machine or the service of a container: loopback,
// ECS, or EKS.
func trusted(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || host == "169.254.170.2" || host == "169.254.170.23" || host == "fd00:ec2::23")
}

// served sends a request whose answer is credentials.
func served(client *http.Client, req *http.Request) (aws.Credentials, error) {
	text, err := send(client, req)
	if err != nil {
		return aws.Credentials{}, err
	}
	var s servedCredentials
	if err := decode(text, &s); err != nil {
		return aws.Credentials{}, err
	}
	if s.Code != "" && s.Code != "Success" {
		return aws.Credentials{}, fmt.Errorf("the answer has the code %s", s.Code)
	}
	return s.credentials()
}

// machineAddress returns the address of the machine's metadata service.
func machineAddress() string {
	host := machineHost
	if strings.EqualFold(os.Getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"), "IPv6") {
		host = machineHostV6
	}
	return strings.TrimRight(cmp.Or(os.Getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT"), host), "/")
}

// machine returns the source of the credentials of the role that a machine of EC2 has (IMDSv2).
func (f *finder) machine() source {
	client := local(2 * time.Second)
	return func(ctx context.Context) (aws.Credentials, error) {
		if strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
			return aws.Credentials{}, errors.New("no credentials are configured, and AWS_EC2_METADATA_DISABLED is set")
		}
		m := metadata{client: client, base: machineAddress() + "/latest"}
		found, err := m.credentials(ctx)
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("no credentials are configured, and the machine has none: %w", err)
		}
		return found, nil
	}
}

// metadata is a machine's metadata service.
type metadata struct {
	client *http.Client
	base   string
	token  string
}

func (m *metadata) credentials(ctx context.Context) (aws.Credentials, error) {
	const roles = "/meta-data/iam/security-credentials/"
	token, err := m.request(ctx, http.MethodPut, "/api/token")
	if err != nil {
		return aws.Credentials{}, err
	}
	text, err := send(m.client, token)
	if err != nil {
		return aws.Credentials{}, err
	}
	m.token = strings.TrimSpace(string(text))
	list, err := m.request(ctx, http.MethodGet, roles)
	if err != nil {
		return aws.Credentials{}, err
	}
	if text, err = send(m.client, list); err != nil {
		return aws.Credentials{}, err
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if name == "" {
		return aws.Credentials{}, errors.New("it has no role")
	}
	get, err := m.request(ctx, http.MethodGet, roles+url.PathEscape(name))
	if err != nil {
		return aws.Credentials{}, err
	}
	return served(m.client, get)
}

// request makes a request to the service; the token's own asks how long it is to hold, in seconds.
func (m *metadata) request(ctx context.Context, method, path string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, m.base+path, nil)
	if err != nil {
		return nil, err
	}
	if m.token == "" {
		req.Header.Set("X-Aws-Ec2-Metadata-Token-Ttl-Seconds", "300")
	} else {
		req.Header.Set("X-Aws-Ec2-Metadata-Token", m.token)
	}
	return req, nil
}
