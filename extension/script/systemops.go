package script

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"modernc.org/quickjs"
)

// SystemOps are the operations behind Node's modules and the globals.
func SystemOps(s *Settings) Table {
	if s == nil {
		s = &Settings{}
	}
	return newSystem(s).ops()
}

func (s *system) ops() Table {
	return Table{}.Add(s.bytesOps(), s.processOps(), s.fileOps(), s.childOps(), s.netOps(), cryptoOps(), pictureOps(), s.moduleOps(), segmentOps(), timeOps())
}

var started = time.Now()

func (s *system) bytesOps() Table {
	return Table{
		"bytes.encode": Typed(func(_ context.Context, a struct {
			Text     string `json:"text"`
			Encoding string `json:"encoding"`
		},
		) ([]byte, error) {
			return encodeBytes(a.Text, a.Encoding)
		}),
		"bytes.decode": Typed(func(_ context.Context, a struct {
			Data     []byte `json:"data"`
			Encoding string `json:"encoding"`
		},
		) (string, error) {
			return decodeBytes(a.Data, a.Encoding)
		}),
		"url.parse": Typed(func(_ context.Context, a struct {
			URL  string `json:"url"`
			Base string `json:"base"`
		},
		) (map[string]string, error) {
			return parseURL(a.URL, a.Base)
		}),
	}
}

func encodeBytes(text, encoding string) ([]byte, error) {
	switch encoding {
	case "utf8", "utf-8":
		return []byte(strings.ToValidUTF8(text, "\ufffd")), nil
	case "latin1", "binary", "ascii":
		out := make([]byte, 0, len(text))
		for _, u := range utf16.Encode([]rune(text)) {
			out = append(out, byte(u))
		}
		return out, nil
	case "utf16le", "utf-16le", "ucs2", "ucs-2":
		var out []byte
		for _, u := range utf16.Encode([]rune(text)) {
			out = append(out, byte(u), byte(u>>8))
		}
		return out, nil
	case "hex":
		if len(text)%2 != 0 {
			text = text[:len(text)-1]
		}
		out, err := hex.DecodeString(text)
		if err != nil {
			out = out[:len(out):len(out)]
		}
		return out, nil
	case "base64", "base64url":
		clean := strings.Map(func(r rune) rune {
			switch r {
			case '-':
				return '+'
			case '_':
				return '/'
			case '=', '\n', '\r', ' ', '\t':
				return -1
			}
			return r
		}, text)
		out, err := base64.RawStdEncoding.DecodeString(clean)
		if err != nil {
			return out, nil //nolint:nilerr // as Node: what can be read
		}
		return out, nil
	}
	return nil, &Error{Name: "TypeError", Code: "ERR_UNKNOWN_ENCODING", Message: "Unknown encoding: " + encoding}
}

func decodeBytes(data []byte, encoding string) (string, error) {
	switch encoding {
	case "utf8", "utf-8":
		if utf8.Valid(data) {
			return string(data), nil
		}
		return strings.ToValidUTF8(string(data), "\ufffd"), nil
	case "latin1", "binary":
		out := make([]rune, len(data))
		for i, b := range data {
			out[i] = rune(b)
		}
		return string(out), nil
	case "ascii":
		out := make([]rune, len(data))
		for i, b := range data {
			out[i] = rune(b & 0x7f)
		}
		return string(out), nil
	case "utf16le", "utf-16le", "ucs2", "ucs-2":
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = uint16(data[2*i]) | uint16(data[2*i+1])<<8
		}
		return string(utf16.Decode(units)), nil
	case "hex":
		return hex.EncodeToString(data), nil
	case "base64":
		return base64.StdEncoding.EncodeToString(data), nil
	case "base64url":
		return base64.RawURLEncoding.EncodeToString(data), nil
	}
	return "", &Error{Name: "TypeError", Code: "ERR_UNKNOWN_ENCODING", Message: "Unknown encoding: " + encoding}
}

// nodePlatform and nodeArch name the machine as Node does.
func nodePlatform() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return runtime.GOOS
}

func nodeArch() string {
	switch runtime.GOARCH {
	case "amd64":
		return "x64"
	case "386":
		return "ia32"
	}
	return runtime.GOARCH
}

// processOps are those of the process that a script takes this program for.
func (s *system) processOps() Table {
	return Table{
		"clock.now": Typed(func(context.Context, any) (float64, error) {
			return float64(time.Since(started).Nanoseconds()) / 1e6, nil
		}),
		"process.about": Typed(func(ctx context.Context, _ any) (any, error) {
			exe, _ := os.Executable()
			args := os.Args
			if policyOf(ctx) != nil {
				args = args[:1] // the others may hold a prompt or a key
			}
			return map[string]any{
				"title": filepath.Base(exe), "pid": os.Getpid(), "ppid": os.Getppid(), "platform": nodePlatform(), "arch": nodeArch(),
				"execPath": exe, "argv": append([]string{exe}, args...), "quickjs": quickjs.Version(), "version": s.settings.Version,
				"uid": os.Getuid(), "gid": os.Getgid(), "tty": s.settings.Terminal != nil,
			}, nil
		}),
		"process.cwd":   Typed(func(context.Context, any) (string, error) { return s.cwd(), nil }),
		"process.chdir": s.onPath(Read, func(a *pathArg) (any, error) { return nil, s.chdir(a.Path) }),
		"process.memory": Typed(func(context.Context, any) (map[string]uint64, error) {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return map[string]uint64{"rss": m.Sys, "heapTotal": m.HeapSys, "heapUsed": m.HeapAlloc, "external": 0, "arrayBuffers": 0}, nil
		}),
		"process.exit": Typed(func(_ context.Context, a struct {
			Code int `json:"code"`
		},
		) (any, error) {
			if s.settings.Exit != nil {
				s.settings.Exit(a.Code)
			}
			return nil, nil
		}),
		"process.kill": Reaching(s.toKill, func(_ context.Context, a killArg) (any, error) {
			return nil, sendSignal(a.PID, a.Signal)
		}),
	}.Add(s.variableOps(), s.terminalOps(), s.aboutOps())
}

// variableOps are those of the environment.
func (s *system) variableOps() Table {
	return Table{
		"process.env": Reaching(asked, func(ctx context.Context, a struct {
			Name string `json:"name"`
		},
		) (*string, error) {
			return s.getenv(ctx, a.Name), nil
		}),
		"process.setenv": Typed(func(_ context.Context, a struct {
			Name  string  `json:"name"`
			Value *string `json:"value"`
		},
		) (any, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.env[a.Name] = a.Value
			return nil, nil
		}),
		"process.envNames": Reaching(asked, func(ctx context.Context, _ any) ([]string, error) { return s.envNames(ctx), nil }),
	}
}

// terminalOps are those of the terminal as a stream.
func (s *system) terminalOps() Table {
	return Table{
		"process.size": Typed(func(context.Context, any) (map[string]int, error) {
			if s.settings.Terminal == nil {
				return map[string]int{}, nil
			}
			columns, rows := s.settings.Terminal.Size()
			return map[string]int{"columns": columns, "rows": rows}, nil
		}),
		"process.write": Typed(func(_ context.Context, a struct {
			FD   int    `json:"fd"`
			Text string `json:"text"`
		},
		) (bool, error) {
			if s.settings.Terminal == nil {
				return false, nil
			}
			_, err := s.settings.Terminal.Write([]byte(a.Text))
			return true, err
		}),
	}
}

type killArg struct {
	PID    int    `json:"pid"`
	Signal string `json:"signal"`
}

// toKill is the access of a signal, for which a program that the script has started needs none.
func (s *system) toKill(a *killArg) []Access {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.processes {
		if c.cmd.Process.Pid == a.PID {
			return nil
		}
	}
	return []Access{{Kind: Exec, Subject: "kill", Detail: fmt.Sprintf("kill -s %s %d", a.Signal, a.PID)}}
}

// aboutOps say what this program and this machine are.
func (s *system) aboutOps() Table {
	return Table{
		"program.about": Typed(func(context.Context, any) (any, error) {
			return map[string]any{"version": s.settings.Version, "configDirName": ".pi", "home": s.settings.Home, "sessionVersion": 3}, nil
		}),
		"os.about": Typed(func(context.Context, any) (any, error) { return aboutMachine(), nil }),
	}
}

func aboutMachine() map[string]any {
	home, _ := os.UserHomeDir()
	host, _ := os.Hostname()
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	types := map[string]string{"linux": "Linux", "darwin": "Darwin", "windows": "Windows_NT"}
	typ := types[runtime.GOOS]
	if typ == "" {
		typ = runtime.GOOS
	}
	return map[string]any{
		"homedir": home, "tmpdir": strings.TrimRight(os.TempDir(), "/"), "hostname": host, "username": name, "type": typ,
		"release": "", "cpus": runtime.NumCPU(), "shell": os.Getenv("SHELL"), "uid": os.Getuid(), "gid": os.Getgid(), "platform": nodePlatform(), "arch": nodeArch(),
	}
}
