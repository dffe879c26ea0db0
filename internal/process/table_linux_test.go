package process

import "testing"

func TestParseStat(t *testing.T) {
	const rest = " 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 1 2 3\n"
	for _, test := range []struct {
		stat string
		want entry
		ok   bool
	}{
		{"12 (bash) S 1 2 3 34816 5" + rest, entry{pid: 12, ppid: 1, pgid: 2, sid: 3, start: 4711}, true},
		{"12 (a) b (c) Z 1 2 3 34816 5" + rest, entry{pid: 12, ppid: 1, pgid: 2, sid: 3, start: 4711, dead: true}, true},
		{"12 (bash) S 1 2 x 34816 5" + rest, entry{}, false},
		{"12 (bash) S 1 2 3", entry{}, false},
		{"12 bash S 1 2 3 34816 5" + rest, entry{}, false},
		{") (", entry{}, false},
		{"", entry{}, false},
	} {
		got, ok := parseStat([]byte(test.stat))
		if ok != test.ok || ok && got != test.want {
			t.Errorf("%q: got %+v, %v", test.stat, got, ok)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("12 (bash) S 1 2 3 34816 5 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 1 2 3\n"))
	f.Fuzz(func(t *testing.T, stat []byte) {
		parseStat(stat)
	})
}

func BenchmarkProcesses(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := processes(); err != nil {
			b.Fatal(err)
		}
	}
}
