package resource

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// page is a Markdown file: the fields at its head, and the text behind them.
type page struct {
	fields map[string]*yaml.Node
	body   string
}

// errOpenFrontmatter means that the closing line is missing.
var errOpenFrontmatter = errors.New("begins with --- but has no second line --- behind the fields; add it")

// parsePage reads a file's text. Line ends become LF. A page without frontmatter keeps its
// text as it is; otherwise the white space around the body goes.
func parsePage(text string) (*page, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	head, body, found, err := splitPage(text)
	if err != nil || !found {
		return &page{body: text}, err
	}
	p := &page{body: strings.TrimSpace(body)}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(head), &root); err != nil {
		return nil, yamlError(err)
	}
	if root.Kind == 0 { // nothing but comments
		return p, nil
	}
	fields := root.Content[0]
	if fields.Kind != yaml.MappingNode {
		return nil, errors.New("has frontmatter without fields; write them as name: value, a line each")
	}
	p.fields = make(map[string]*yaml.Node, len(fields.Content)/2)
	for i := 0; i+1 < len(fields.Content); i += 2 {
		p.fields[fields.Content[i].Value] = fields.Content[i+1]
	}
	return p, nil
}

// splitPage cuts a text behind the frontmatter, which begins and ends with a line of its own.
func splitPage(text string) (head, body string, found bool, err error) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return "", text, false, nil
	}
	for at := 0; at < len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		next := at + len(line)
		if more {
			next++
		}
		if strings.TrimRight(line, " \t") == "---" {
			return rest[:at], rest[next:], true, nil
		}
		at = next
	}
	return "", text, false, errOpenFrontmatter
}

// yamlError names the line of the file, which has one more line above, and a way out.
func yamlError(err error) error {
	problem := firstLine(strings.TrimPrefix(err.Error(), "yaml: "))
	if rest, ok := strings.CutPrefix(problem, "line "); ok {
		digits, what, _ := strings.Cut(rest, ":")
		if n, err := strconv.Atoi(digits); err == nil {
			problem = fmt.Sprintf("line %d:%s", n+1, what)
		}
	}
	return fmt.Errorf("has frontmatter that is not valid YAML: %s; a value with a colon or other special characters needs quotes", problem)
}

// text returns a field that is a single value; empty if it is absent or anything else.
func (p *page) text(name string) string {
	node := p.fields[name]
	if node == nil || node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return ""
	}
	return strings.TrimSpace(node.Value)
}

// list returns a field that is a list of values, or their enumeration in one text.
func (p *page) list(name string) []string {
	node := p.fields[name]
	if node == nil || node.Kind != yaml.SequenceNode {
		return strings.Fields(p.text(name))
	}
	var list []string
	for _, item := range node.Content {
		if item.Kind == yaml.ScalarNode {
			list = append(list, item.Value)
		}
	}
	return list
}

// table returns a field that is a mapping; values that are not single ones are left out.
func (p *page) table(name string) map[string]string {
	node := p.fields[name]
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	table := make(map[string]string)
	for i := 0; i+1 < len(node.Content); i += 2 {
		if key, value := node.Content[i], node.Content[i+1]; key.Kind == yaml.ScalarNode && value.Kind == yaml.ScalarNode {
			table[key.Value] = value.Value
		}
	}
	return table
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
