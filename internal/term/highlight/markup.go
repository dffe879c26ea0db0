package highlight

import "strings"

// markup scans HTML and XML.
func markup(s *scanner) {
	for s.pos < len(s.code) && !s.over {
		open := s.find("<", s.pos, len(s.code))
		s.pos = open
		switch {
		case open == len(s.code):
		case s.at("<!--"):
			s.take(Comment, s.behind("-->"))
		case s.at("<![CDATA["):
			s.take(String, s.behind("]]>"))
		case s.at("<!") || s.at("<?"):
			s.take(Comment, s.behind(">"))
		default:
			s.tag()
		}
	}
}

// behind returns where the code goes on after text, or its end.
func (s *scanner) behind(text string) int {
	return min(s.find(text, s.pos, len(s.code))+len(text), len(s.code))
}

// tag takes a tag, and what is between two tags of a script or style.
func (s *scanner) tag() {
	from := s.pos + 1
	if from < len(s.code) && s.code[from] == '/' {
		from++
	}
	end := s.tagNameEnd(from)
	if end == from {
		s.pos++
		return
	}
	name := strings.ToLower(s.code[from:end])
	closing := from > s.pos+1
	s.take(Keyword, end)
	s.attributes()
	if !closing && s.lang.name == "html" {
		switch name {
		case "script":
			s.embedded(&javascript, "</script")
		case "style":
			s.embedded(&css, "</style")
		}
	}
}

func (s *scanner) tagNameEnd(from int) int {
	i := from
	for i < len(s.code) && (isLetter(s.code[i]) || s.code[i] >= 0x80 || i > from && (isDigit(s.code[i]) || strings.IndexByte("-_:.", s.code[i]) >= 0)) {
		i++
	}
	return i
}

// attributes takes the rest of a tag.
func (s *scanner) attributes() {
	for s.pos < len(s.code) && !s.over {
		switch c := s.code[s.pos]; {
		case c == '>':
			s.take(Keyword, s.pos+1)
			return
		case c == '<':
			return
		case c == '/' && s.at("/>"):
			s.take(Keyword, s.pos+2)
			return
		case c == '"' || c == '\'':
			s.take(String, min(s.find(string(c), s.pos+1, len(s.code))+1, len(s.code)))
		default:
			if end := s.tagNameEnd(s.pos); end > s.pos {
				s.take(Name, end)
			} else {
				s.pos++
			}
		}
	}
}

// embedded scans another language up to a closing tag.
func (s *scanner) embedded(inner *Language, closing string) {
	outer, end := s.lang, s.find(closing, s.pos, len(s.code))
	s.lang = inner
	s.lang.once.Do(s.lang.index)
	s.value = false
	s.words(end)
	s.lang = outer
}
