package bedrock

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/ai"
)

// defaultRegion is asked where nothing names a region.
const defaultRegion = "us-east-1"

// place is where a model is asked.
type place struct {
	base   string
	region string
}

func (p place) address(id string) string {
	return strings.TrimRight(p.base, "/") + "/model/" + escape(id) + "/converse-stream"
}

// ownHost is AWS's address of the service in a region.
var ownHost = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$`)
})

// place finds region and address. The region of AWS's own address in a catalogue is only
// the model's first one: what the user has set wins. signed says that the region is needed
// even where the address is known without it.
func (c *Client) place(req *ai.Request, signed bool) (place, error) {
	m := req.Model
	catalogued, own := "", m.BaseURL == ""
	if u, err := url.Parse(m.BaseURL); err == nil {
		if found := ownHost().FindStringSubmatch(u.Hostname()); found != nil {
			catalogued, own = found[1], true
		}
	}
	if !own && !signed {
		return place{base: m.BaseURL}, nil
	}
	region, err := c.region(req, catalogued)
	if err != nil {
		return place{}, err
	}
	switch endpoint := req.Options.Getenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME"); {
	case !own:
		return place{m.BaseURL, region}, nil
	case endpoint != "":
		return place{endpoint, region}, nil
	case region == catalogued:
		return place{m.BaseURL, region}, nil
	}
	host := fmt.Sprintf("https://bedrock-runtime.%s.amazonaws.com", region)
	if strings.HasPrefix(region, "cn-") {
		host += ".cn"
	}
	return place{host, region}, nil
}

func (c *Client) region(req *ai.Request, catalogued string) (string, error) {
	getenv := req.Options.Getenv
	profile := getenv("AWS_PROFILE") != ""
	if named := cmp.Or(regionOfARN(req.Model.ID), getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")); named != "" {
		return named, nil
	}
	if catalogued != "" && !profile {
		return catalogued, nil
	}
	from, err := c.account(&req.Options)
	if err != nil {
		return "", err
	}
	return cmp.Or(from.Region, catalogued, defaultRegion), nil
}

// regionOfARN returns the region in an id like
// arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc.
func regionOfARN(id string) string {
	if fields := strings.Split(id, ":"); len(fields) >= 6 && fields[0] == "arn" && fields[2] == "bedrock" {
		return fields[3]
	}
	return ""
}
