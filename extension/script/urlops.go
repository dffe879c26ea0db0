package script

import (
	"fmt"
	"net/url"
	"strings"
)

// defaultPorts are left out of a URL.
var defaultPorts = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}

// parseURL gives the parts that the web's URL has.
func parseURL(raw, base string) (map[string]string, error) {
	raw = strings.TrimSpace(raw)
	u, err := absolute(raw, base)
	if err != nil {
		return nil, err
	}
	scheme := strings.ToLower(u.Scheme)
	special := defaultPorts[scheme] != "" || scheme == "file"
	if special && scheme != "file" && u.Host == "" {
		return nil, fmt.Errorf("invalid URL: %s", raw)
	}
	out := map[string]string{"protocol": scheme + ":", "username": "", "password": "", "origin": "null"}
	host := hostOf(u, scheme, out)
	if u.User != nil {
		password, _ := u.User.Password()
		out["username"], out["password"] = url.PathEscape(u.User.Username()), url.PathEscape(password)
	}
	restOf(u, special, out)
	if special && scheme != "file" {
		out["origin"] = out["protocol"] + "//" + host
	}
	out["href"] = out["protocol"] + authority(u, scheme, host, out) + out["pathname"] + out["search"] + out["hash"]
	return out, nil
}

// absolute reads a URL that may be relative to another one.
func absolute(raw, base string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err == nil && base != "" && !u.IsAbs() {
		var b *url.URL
		if b, err = url.Parse(base); err == nil {
			u = b.ResolveReference(u)
		}
	}
	if err != nil {
		return nil, err
	}
	if !u.IsAbs() {
		return nil, fmt.Errorf("invalid URL: %s", raw)
	}
	if u.Opaque == "" {
		u = u.ResolveReference(u) // without . and ..
	}
	return u, nil
}

// hostOf sets the parts of the host, and returns it with its port.
func hostOf(u *url.URL, scheme string, out map[string]string) string {
	name, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(u.Host, "[") {
		name = "[" + name + "]"
	}
	if port == defaultPorts[scheme] {
		port = ""
	}
	out["hostname"], out["port"] = name, port
	if port != "" {
		return name + ":" + port
	}
	return name
}

// restOf sets what stands behind the host.
func restOf(u *url.URL, special bool, out map[string]string) {
	out["pathname"], out["search"], out["hash"] = u.EscapedPath(), "", ""
	switch {
	case u.Opaque != "":
		out["pathname"] = u.Opaque
	case special && out["pathname"] == "":
		out["pathname"] = "/"
	}
	if u.RawQuery != "" {
		out["search"] = "?" + strings.ReplaceAll(u.RawQuery, " ", "%20")
	}
	if f := u.EscapedFragment(); f != "" {
		out["hash"] = "#" + f
	}
}

// authority is the part between the scheme and the path.
func authority(u *url.URL, scheme, host string, out map[string]string) string {
	if u.Host == "" && scheme != "file" {
		return ""
	}
	user := out["username"]
	if user != "" && out["password"] != "" {
		user += ":" + out["password"]
	}
	if user != "" {
		user += "@"
	}
	return "//" + user + host
}
