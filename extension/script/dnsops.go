package script

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
)

// nameArg asks about the name of a host, or an address.
type nameArg struct {
	Name    string `json:"name"`
	Family  int    `json:"family"` // 4, 6, or 0 for both
	Syscall string `json:"syscall"`
}

// nameOps are the operations of node:dns.
func nameOps() Table {
	ask := func(fn func(ctx context.Context, a nameArg) ([]string, error)) Op {
		return Reaching(toResolve, func(ctx context.Context, a nameArg) ([]string, error) {
			found, err := fn(ctx, a)
			if err != nil {
				return nil, nameError(err, a)
			}
			return found, nil
		})
	}
	return Table{
		"dns.lookup": ask(lookup),
		"dns.text": ask(func(ctx context.Context, a nameArg) ([]string, error) {
			return net.DefaultResolver.LookupTXT(ctx, a.Name)
		}),
		"dns.reverse": ask(func(ctx context.Context, a nameArg) ([]string, error) {
			names, err := net.DefaultResolver.LookupAddr(ctx, a.Name)
			for i := range names {
				names[i] = strings.TrimSuffix(names[i], ".")
			}
			return names, err
		}),
	}
}

// toResolve: a name that is asked for is told to others, as by a connection.
func toResolve(a *nameArg) []Access {
	return []Access{{Kind: Network, Subject: net.JoinHostPort(a.Name, "53")}}
}

func lookup(ctx context.Context, a nameArg) ([]string, error) {
	network := "ip"
	if a.Family == 4 || a.Family == 6 {
		network += strconv.Itoa(a.Family)
	}
	ips, err := net.DefaultResolver.LookupIP(ctx, network, a.Name)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(ips))
	for _, ip := range ips {
		out = append(out, ip.String())
	}
	return out, nil
}

// nameError is an error as Node tells it: "getaddrinfo ENOTFOUND host".
func nameError(err error, a nameArg) error {
	code := "ESERVFAIL"
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		switch {
		case e.IsNotFound:
			code = "ENOTFOUND"
		case e.IsTimeout:
			code = "ETIMEOUT"
		case e.IsTemporary && a.Syscall == "getaddrinfo":
			code = "EAI_AGAIN"
		}
	}
	return &Error{Code: code, Syscall: a.Syscall, Message: a.Syscall + " " + code + " " + a.Name}
}
