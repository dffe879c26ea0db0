package highlight

import "strings"

// lines calls fn for each line, which is code[pos:end] and may be empty.
func (s *scanner) lines(fn func(line string, end int)) {
	for s.pos < len(s.code) && !s.over {
		end := s.lineEnd(s.pos)
		fn(s.code[s.pos:end], end)
		s.pos = min(end+1, len(s.code))
	}
}

// diff scans the output of diff.
func diff(s *scanner) {
	s.lines(func(line string, end int) {
		switch {
		case strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "index "):
			s.take(Comment, end)
		case strings.HasPrefix(line, "@@"):
			s.take(Heading, end)
		case strings.HasPrefix(line, "+"):
			s.take(Inserted, end)
		case strings.HasPrefix(line, "-"):
			s.take(Deleted, end)
		}
	})
}

// markdown scans headings, quotations, lists and code.
func markdown(s *scanner) {
	fence := ""
	s.lines(func(line string, end int) {
		text := strings.TrimLeft(line, " ")
		mark := fenceOf(text)
		switch {
		case fence != "":
			s.take(String, end)
			if strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]+" \r") == "" {
				fence = ""
			}
		case mark != "":
			fence = mark
			s.take(String, end)
		case strings.HasPrefix(text, "#"):
			s.take(Heading, end)
		case strings.HasPrefix(text, ">"):
			s.take(Comment, end)
		default:
			s.pos += len(line) - len(text)
			s.bullet(text)
			s.inlineCode(end)
		}
	})
}

func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return line[:len(line)-len(strings.TrimLeft(line, mark[:1]))]
		}
	}
	return ""
}

func (s *scanner) bullet(text string) {
	n := len(text) - len(strings.TrimLeft(text, "0123456789"))
	switch {
	case n > 0 && n < 10 && (strings.HasPrefix(text[n:], ". ") || strings.HasPrefix(text[n:], ") ")):
		s.take(Keyword, s.pos+n+1)
	case strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") || strings.HasPrefix(text, "+ "):
		s.take(Keyword, s.pos+1)
	}
}

// inlineCode takes `code` up to the end of the line.
func (s *scanner) inlineCode(end int) {
	for s.pos < end {
		open := s.find("`", s.pos, end)
		if open == end {
			break
		}
		closing := s.find("`", open+1, end)
		if closing == end {
			break
		}
		s.pos = open
		s.take(String, closing+1)
	}
}

// yaml scans keys, anchors, and what words finds in values.
func yaml(s *scanner) {
	s.lines(func(line string, end int) {
		text := strings.TrimLeft(line, " ")
		s.pos += len(line) - len(text)
		for strings.HasPrefix(text, "- ") {
			trimmed := strings.TrimLeft(text[2:], " ")
			s.pos += len(text) - len(trimmed)
			text = trimmed
		}
		if strings.HasPrefix(text, "---") {
			s.take(Heading, end)
			return
		}
		if n := yamlKey(text); n > 0 {
			s.take(Name, s.pos+n)
		}
		s.words(end)
	})
}

// yamlKey returns how long the key at the beginning of the line is; 0 if there is none.
func yamlKey(line string) int {
	if line == "" || strings.IndexByte(`#"'[{&*!|>%@`, line[0]) >= 0 {
		return 0
	}
	i := strings.Index(line, ":")
	if i <= 0 || i+1 < len(line) && line[i+1] != ' ' && line[i+1] != '\r' || strings.Contains(line[:i], " #") {
		return 0
	}
	return i
}
