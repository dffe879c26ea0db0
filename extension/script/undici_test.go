package script_test

import (
	"bytes"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// web is a server that tells what it was asked, one that encrypts, one at a local socket, and
// a proxy.
type web struct{ plain, secure, proxy, socket, cert string }

func newWeb(t *testing.T) web {
	t.Helper()
	tell := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/none":
			http.Error(w, "nothing", http.StatusNotFound)
		case "/late":
			select {
			case <-r.Context().Done():
			case <-time.After(time.Minute):
			}
		default:
			w.Header().Add("Set-Cookie", "a=1")
			w.Header().Add("Set-Cookie", "b=2")
			_, _ = io.WriteString(w, `{"by":"`+r.Header.Get("Via")+`","method":"`+r.Method+`","url":"`+r.URL.String()+`","x":"`+r.Header.Get("X")+`","body":"`+string(body)+`"}`)
		}
	})
	plain, secure := httptest.NewServer(tell), httptest.NewTLSServer(tell)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	onward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.Header.Set("Via", "proxy") }}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "example.test" {
			_, _ = io.WriteString(w, "from the proxy")
			return
		}
		onward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	local := httptest.NewUnstartedServer(tell)
	socket := filepath.Join(t.TempDir(), "s")
	var err error
	local.Listener.Close()
	if local.Listener, err = net.Listen("unix", socket); err != nil {
		t.Fatal(err)
	}
	local.Start()
	t.Cleanup(local.Close)
	var cert bytes.Buffer
	if err := pem.Encode(&cert, &pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}); err != nil {
		t.Fatal(err)
	}
	return web{plain.URL, secure.URL, proxy.URL, socket, cert.String()}
}

// undici is a module of the library: requests of its own kind, and dispatchers that say how
// they are made, those of fetch too.
func TestUndici(t *testing.T) {
	w := newWeb(t)
	cases := []struct{ name, body, want string }{
		{"fetch", `return (await (await undici.fetch(plain + "/a")).json()).url`, "/a"},
		{"its classes", `return new undici.Request(plain) instanceof Request && undici.Headers === Headers`, "true"},
		{"request", `const { statusCode, headers, body } = await request(plain + "/a", { method: "POST", body: "hi", headers: ["X", "1"], query: { q: [1, 2] } }); const b = await body.json(); return [statusCode, headers["set-cookie"].join(), b.method, b.url, b.x, b.body].join(" ")`, "200 a=1,b=2 POST /a?q=1&q=2 1 hi"},
		{"request as a stream", `let out = ""; for await (const part of (await request(plain)).body) out += part; return JSON.parse(out).method`, "GET"},
		{"request stays", `return (await request(plain + "/moved")).headers.location`, "/there"},
		{"request goes on", `return (await (await request(plain + "/moved", { maxRedirections: 1 })).body.json()).url`, "/there"},
		{"request that throws", `return request(plain + "/none", { throwOnError: true }).catch((e) => [e.name, e.code, e.statusCode].join(" "))`, "ResponseStatusCodeError UND_ERR_RESPONSE_STATUS_CODE 404"},
		{"request that ends", `return request(plain + "/late", { signal: AbortSignal.timeout(20) }).catch((e) => e.code)`, "UND_ERR_ABORTED"},
		{"no answer in time", `const d = new Agent({ headersTimeout: 30 }); return request(plain + "/late", { dispatcher: d }).catch((e) => e.constructor.name + " " + e.code).finally(() => d.close())`, "HeadersTimeoutError UND_ERR_HEADERS_TIMEOUT"},
		{"unknown certificate", `return fetch(secure).catch((e) => e.message.includes("certificate"))`, "true"},
		{"known certificate", `const d = new Agent({ connect: { ca: cert } }); return (await (await fetch(secure, { dispatcher: d })).json().finally(() => d.destroy())).method`, "GET"},
		{"any certificate", `const d = new Agent({ connect: { rejectUnauthorized: false } }); return (await (await fetch(secure, { dispatcher: d })).json().finally(() => d.close())).method`, "GET"},
		{"socket", `const c = new undici.Client("http://box", { socketPath: socket }); return (await (await c.request({ path: "/b", method: "GET" })).body.json().finally(() => c.close())).url`, "/b"},
		{"proxy", `const d = new ProxyAgent(proxy); return (await (await fetch(plain + "/a", { dispatcher: d })).json().finally(() => d.close())).by`, "proxy"},
		{"proxy of all", `const before = undici.getGlobalDispatcher(); const d = new EnvHttpProxyAgent({ httpProxy: proxy, noProxy: "none.test" }); undici.setGlobalDispatcher(d); try { return (await (await fetch("http://example.test/c")).text()) } finally { undici.setGlobalDispatcher(before); await d.close(); }`, "from the proxy"},
		{"closed", `const d = new Agent(); await d.close(); return fetch(plain, { dispatcher: d }).catch((e) => e.code)`, "UND_ERR_CLOSED"},
		{"what is not here", `try { new undici.MockAgent() } catch (e) { return e.message }`, "MockAgent of undici is not supported by this host"},
		{"its default", `return (await import("undici")).default.Agent === Agent`, "true"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, script.Settings{}, `
import * as undici from "undici";
import { Agent, EnvHttpProxyAgent, ProxyAgent, request } from "undici";
const plain = `+quote(w.plain)+`, secure = `+quote(w.secure)+`, proxy = `+quote(w.proxy)+`, socket = `+quote(w.socket)+`, cert = `+quote(w.cert)+`;
export default (pi) => { pi.on("agent_start", async (e, ctx) => { ctx.ui.notify(String(await (async () => { `+c.body+` })())); }); }`)
			s.Emit(t.Context(), &extension.AgentStart{})
			if s.failures() != "" || s.all() != c.want {
				t.Errorf("got %s %s, want %s", s.all(), s.failures(), c.want)
			}
		})
	}
}

// A proxy and a socket are connections that a rule must allow.
func TestPolicyOfDispatchers(t *testing.T) {
	w := newWeb(t)
	dir := t.TempDir()
	plain, proxy := strings.TrimPrefix(w.plain, "http://"), strings.TrimPrefix(w.proxy, "http://")
	for name, c := range map[string]struct {
		allowed []string
		body    string
		want    string
	}{
		"proxy":          {[]string{plain}, `new ProxyAgent(` + quote(w.proxy) + `)`, "may not connect to " + proxy},
		"proxy, allowed": {[]string{plain, proxy}, `new ProxyAgent(` + quote(w.proxy) + `)`, "200"},
		"socket":         {[]string{plain}, `new Agent({ connect: { socketPath: ` + quote(w.socket) + ` } })`, "may not connect to unix:" + w.socket},
	} {
		t.Run(name, func(t *testing.T) {
			got := attempt(t, dir, script.Rule{Network: c.allowed}, `
				const { Agent, ProxyAgent } = await import("undici");
				const d = `+c.body+`;
				return (await fetch(`+quote(w.plain)+`, { dispatcher: d }).finally(() => d.close())).status`)
			if !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
