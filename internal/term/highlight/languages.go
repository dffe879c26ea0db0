package highlight

// byName returns the language with this name, alias or file extension, in lower case.
//
// A switch, unlike a map, needs no work when the program starts.
func byName(name string) *Language { //nolint:funlen // a table, one language a case
	switch name {
	case "go", "golang":
		return &golang
	case "gomod", "mod":
		return &gomod
	case "c", "h":
		return &c
	case "cpp", "c++", "cc", "cxx", "hpp", "hh", "hxx", "cuda", "cu", "ino", "objc", "objective-c", "mm", "m":
		return &cpp
	case "cs", "csharp", "c#":
		return &csharp
	case "java":
		return &java
	case "kt", "kts", "kotlin":
		return &kotlin
	case "swift":
		return &swift
	case "scala", "sc":
		return &scala
	case "groovy", "gradle":
		return &groovy
	case "rs", "rust":
		return &rust
	case "zig":
		return &zig
	case "dart":
		return &dart
	case "js", "javascript", "jsx", "mjs", "cjs", "ts", "typescript", "tsx", "mts", "cts":
		return &javascript
	case "py", "python", "pyi", "python3", "py3", "starlark", "bzl":
		return &python
	case "rb", "ruby", "gemspec":
		return &ruby
	case "php":
		return &php
	case "pl", "pm", "perl":
		return &perl
	case "lua":
		return &lua
	case "sh", "bash", "shell", "zsh", "ksh", "fish", "console", "shellsession", "env":
		return &shell
	case "ps1", "powershell", "pwsh", "psm1":
		return &powershell
	case "sql", "mysql", "postgresql", "postgres", "sqlite", "plsql":
		return &sql
	case "json", "jsonc", "json5", "jsonl", "ndjson", "webmanifest", "ipynb":
		return &jsonLang
	case "yaml", "yml":
		return &yamlLang
	case "toml", "ini", "cfg", "conf", "properties", "editorconfig", "service", "desktop", "lock":
		return &ini
	case "tf", "hcl", "terraform", "tfvars":
		return &hcl
	case "css", "scss", "less", "sass":
		return &css
	case "html", "htm", "xhtml", "vue", "svelte":
		return &html
	case "xml", "svg", "xsd", "xsl", "plist", "csproj", "rss":
		return &xml
	case "md", "markdown", "mdx":
		return &markdownLang
	case "diff", "patch", "udiff":
		return &diffLang
	case "dockerfile", "docker", "containerfile":
		return &dockerfile
	case "make", "makefile", "mk", "mak":
		return &makefile
	case "graphql", "gql":
		return &graphql
	case "proto", "protobuf":
		return &protobuf
	case "ex", "exs", "elixir":
		return &elixir
	case "hs", "haskell", "elm":
		return &haskell
	case "ml", "mli", "ocaml", "fs", "fsharp", "fsx":
		return &ocaml
	case "clj", "cljs", "clojure", "edn", "lisp", "el", "scm", "scheme", "rkt", "racket":
		return &lisp
	case "r":
		return &rLang
	case "jl", "julia":
		return &julia
	case "nix":
		return &nix
	}
	return nil
}

var (
	slashes    = []string{"//"}
	hashes     = []string{"#"}
	starred    = []pair{{"/*", "*/"}}
	double     = quote{open: `"`, close: `"`}
	single     = quote{open: `'`, close: `'`}
	char       = quote{open: `'`, close: `'`, short: true}
	backtick   = quote{open: "`", close: "`", lines: true}
	rawTick    = quote{open: "`", close: "`", lines: true, raw: true}
	triple     = quote{open: `"""`, close: `"""`, lines: true}
	tripleTick = quote{open: `'''`, close: `'''`, lines: true}
	openDouble = quote{open: `"`, close: `"`, lines: true}
	openSingle = quote{open: `'`, close: `'`, lines: true, raw: true}
)

const cKeywords = "auto break case const continue default do else enum extern for goto if inline register return sizeof static struct switch typedef union volatile while restrict alignas alignof "

const cTypes = "void char short int long float double signed unsigned bool size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t FILE NULL true false nullptr "

const jvmTypes = "boolean byte char double float int long short void String Object Integer Long Double Boolean List Map Set true false null "

var golang = Language{
	name: "go", line: slashes, block: starred, quotes: []quote{double, rawTick, char}, calls: true,
	keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
	types:    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr true false nil iota append cap clear close copy delete len make max min new panic print println recover",
}

var gomod = Language{
	name: "gomod", line: slashes, letters: "./-", first: true,
	keywords: "module go toolchain require replace exclude retract tool use godebug ignore",
}

var c = Language{
	name: "c", line: slashes, block: starred, quotes: []quote{double, char}, calls: true, preprocessor: true,
	keywords: cKeywords, types: cTypes,
}

var cpp = Language{
	name: "cpp", line: slashes, block: starred, quotes: []quote{double, char}, calls: true, preprocessor: true,
	keywords: cKeywords + "catch class concept consteval constexpr constinit co_await co_return co_yield decltype delete explicit export final friend module import mutable namespace new noexcept operator override private protected public requires static_assert static_cast dynamic_cast reinterpret_cast const_cast template this throw try typeid typename using virtual",
	types:    cTypes + "auto string vector map set pair optional unique_ptr shared_ptr string_view std nil id YES NO",
}

var csharp = Language{
	name: "csharp", line: slashes, block: starred, quotes: []quote{triple, double, char}, calls: true, preprocessor: true,
	keywords: "abstract as async await base break case catch checked class const continue default delegate do else enum event explicit extern finally fixed for foreach get goto if implicit in init interface internal is lock namespace new operator out override params partial private protected public readonly record ref return sealed set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe using var virtual volatile when where while with yield",
	types:    "bool byte char decimal double dynamic float int long object sbyte short string uint ulong ushort void true false null Task List Dictionary",
}

var java = Language{
	name: "java", line: slashes, block: starred, quotes: []quote{triple, double, char}, calls: true, decorators: true,
	keywords: "abstract assert break case catch class const continue default do else enum extends final finally for goto if implements import instanceof interface native new package permits private protected public record return sealed static strictfp super switch synchronized this throw throws transient try var volatile while yield",
	types:    jvmTypes,
}

var kotlin = Language{
	name: "kotlin", line: slashes, block: starred, quotes: []quote{triple, double, char}, calls: true, decorators: true,
	keywords: "abstract actual annotation as break by catch class companion const constructor continue crossinline data do else enum expect external final finally for fun if import in infix init inline inner interface internal is lateinit noinline object open operator out override package private protected public reified return sealed suspend super tailrec this throw try typealias val value var vararg when where while",
	types:    jvmTypes + "Any Unit Nothing Int Char Float Short Byte MutableList MutableMap",
}

var swift = Language{
	name: "swift", line: slashes, block: starred, quotes: []quote{triple, double}, calls: true, decorators: true,
	keywords: "actor as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough fileprivate final for func guard if import in indirect init inout internal is isolated lazy let macro mutating nonisolated open operator override private protocol public repeat required rethrows return self Self set some static struct subscript super switch throw throws try typealias unowned var weak where while",
	types:    "Any Bool Character Double Float Int Int8 Int16 Int32 Int64 UInt Optional String Void Array Dictionary Set true false nil",
}

var scala = Language{
	name: "scala", line: slashes, block: starred, quotes: []quote{triple, double, char}, calls: true, decorators: true,
	keywords: "abstract case catch class def derives do else end enum extends extension final finally for forSome given if implicit import lazy match new object opaque override package private protected return sealed super then this throw trait try type using val var while with yield",
	types:    jvmTypes + "Any AnyRef Unit Nothing Int Seq Option Some None",
}

var groovy = Language{
	name: "groovy", line: slashes, block: starred, quotes: []quote{triple, tripleTick, double, single}, calls: true, decorators: true,
	keywords: "as assert break case catch class continue def default do else enum extends final finally for if implements import in instanceof interface new package private protected public return static super switch this throw throws trait try var while plugins dependencies repositories",
	types:    jvmTypes,
}

var rust = Language{
	name: "rust", line: slashes, block: starred, calls: true,
	quotes:   []quote{{open: `r#"`, close: `"#`, lines: true, raw: true}, openDouble, char},
	keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop macro_rules match mod move mut pub ref return self Self static struct super trait type union unsafe use where while yield",
	types:    "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize String Vec Option Some None Result Ok Err Box Rc Arc true false",
}

var zig = Language{
	name: "zig", line: []string{"//", `\\`}, quotes: []quote{double, char}, calls: true, decorators: true,
	keywords: "addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const continue defer else enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend opaque or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while",
	types:    "anyerror anyopaque bool comptime_float comptime_int f16 f32 f64 i8 i16 i32 i64 isize noreturn type u8 u16 u32 u64 usize void true false null undefined",
}

var dart = Language{
	name: "dart", line: slashes, block: starred, quotes: []quote{triple, tripleTick, double, single}, calls: true, decorators: true,
	keywords: "abstract as assert async await base break case catch class const continue covariant default deferred do dynamic else enum export extends extension external factory final finally for get hide if implements import in interface is late library mixin new on operator part required rethrow return sealed set show static super switch sync this throw try typedef var when while with yield",
	types:    "bool double int num void String Object List Map Set Future Stream Iterable Null Never true false null",
}

var javascript = Language{
	name: "javascript", line: slashes, block: starred, quotes: []quote{double, single, backtick}, letters: "$", calls: true, regexps: true, decorators: true,
	keywords: "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace new of override package private protected public readonly return satisfies set static super switch this throw try type typeof var void while with yield",
	types:    "any bigint boolean never number object string symbol undefined unknown null true false NaN Infinity Array Boolean Date Error Map Number Object Promise Record RegExp Set String console document globalThis module process require window",
}

var python = Language{
	name: "python", line: hashes, quotes: []quote{triple, tripleTick, double, single}, calls: true, decorators: true,
	keywords: "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try type while with yield",
	types:    "True False None self cls bool bytes dict float frozenset int list object range set str tuple type Exception ValueError TypeError KeyError print len open isinstance super enumerate zip",
}

var ruby = Language{
	name: "ruby", line: hashes, block: []pair{{"=begin", "=end"}}, quotes: []quote{openDouble, {open: `'`, close: `'`, lines: true}, backtick}, letters: "?!", calls: true,
	keywords: "alias and begin break case class def defined? do else elsif end ensure extend for if in include module next not or private protected public raise redo require require_relative rescue retry return super then undef unless until when while yield attr_accessor attr_reader attr_writer",
	types:    "true false nil self puts print Array Hash Integer String Symbol Struct StandardError",
}

var php = Language{
	name: "php", line: []string{"//", "#"}, block: starred, quotes: []quote{openDouble, {open: `'`, close: `'`, lines: true}}, calls: true, variables: true,
	keywords: "abstract and as break callable case catch class clone const continue declare default do echo else elseif enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface isset list match namespace new or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield php",
	types:    "array bool float int iterable mixed never null object self string void true false",
}

var perl = Language{
	name: "perl", line: hashes, quotes: []quote{openDouble, openSingle}, calls: true, variables: true, spaced: true,
	keywords: "and cmp continue do else elsif eq for foreach ge given gt if last le local lt my ne next no not or our package redo require return state sub unless until use when while x xor",
	types:    "bless chomp defined delete die each exists grep join keys length map open print printf push ref say scalar shift sort splice split sprintf strict undef unshift values warn warnings",
}

var lua = Language{
	name: "lua", line: []string{"--"}, block: []pair{{"--[[", "]]"}}, quotes: []quote{{open: "[[", close: "]]", lines: true, raw: true}, double, single}, calls: true,
	keywords: "and break do else elseif end for function goto if in local not or repeat return then until while",
	types:    "true false nil self print pairs ipairs require string table math setmetatable tostring type",
}

var shell = Language{
	name: "bash", line: hashes, spaced: true, quotes: []quote{openDouble, openSingle}, letters: "-", variables: true,
	keywords: "case do done elif else esac export fi for function if in local readonly return select set source then time until unset while break continue trap exit",
	types:    "alias awk cat cd chmod chown cp curl cut docker echo eval exec false find git go grep head kill kubectl ls make mkdir mv node npm npx pip printf ps pwd python python3 read rg rm sed shift sleep sort ssh sudo tail tar tee test touch tr true uniq wc wget xargs",
}

var powershell = Language{
	name: "powershell", line: hashes, block: []pair{{"<#", "#>"}}, quotes: []quote{openDouble, openSingle}, letters: "-", variables: true, anyCase: true,
	keywords: "begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach from function if in param process return switch throw trap try until using while",
}

var sql = Language{
	name: "sql", line: []string{"--"}, block: starred, quotes: []quote{{open: `'`, close: `'`, lines: true, raw: true}, {open: `"`, close: `"`, raw: true}, rawTick}, calls: true, anyCase: true,
	keywords: "add all alter and as asc begin between by cascade case check column commit conflict constraint create cross database default delete desc distinct do drop else end except exists explain foreign from full function grant group having if ilike in index inner insert intersect into is join key left like limit materialized natural not null offset on or order outer over partition pragma primary recursive references replace returning revoke right rollback row rows savepoint select set table temporary then to transaction trigger truncate union unique update using values view when where window with",
	types:    "bigint bigserial blob bool boolean bytea char date datetime decimal double float int integer interval json jsonb numeric real serial smallint text time timestamp timestamptz uuid varchar true false count sum avg min max coalesce now",
}

var jsonLang = Language{name: "json", line: slashes, block: starred, quotes: []quote{double, single}, keys: true, types: "true false null"}

var yamlLang = Language{name: "yaml", scan: yaml, line: hashes, spaced: true, quotes: []quote{double, {open: `'`, close: `'`, raw: true}}, keys: true, types: "true false null yes no on off", letters: "-./"}

var ini = Language{name: "ini", line: []string{"#", ";"}, spaced: true, quotes: []quote{triple, tripleTick, double, single}, letters: "-.", assigned: true, types: "true false"}

var hcl = Language{
	name: "hcl", line: []string{"#", "//"}, block: starred, quotes: []quote{double}, letters: "-", calls: true, assigned: true,
	keywords: "data for if in locals module output provider resource terraform variable moved import check dynamic", types: "any bool list map number object set string tuple true false null",
}

var css = Language{
	name: "css", line: slashes, block: starred, quotes: []quote{double, single}, letters: "-", style: true, keys: true, calls: true, decorators: true, variables: true,
	types: "auto none inherit initial unset block flex grid inline absolute relative fixed sticky solid transparent var calc rgb rgba hsl hsla url",
}

var html = Language{name: "html", scan: markup}

var xml = Language{name: "xml", scan: markup}

var markdownLang = Language{name: "markdown", scan: markdown}

var diffLang = Language{name: "diff", scan: diff}

var dockerfile = Language{
	name: "dockerfile", line: hashes, spaced: true, quotes: []quote{double, single}, letters: "-", variables: true, anyCase: true, first: true,
	keywords: "add arg cmd copy entrypoint env expose from healthcheck label maintainer onbuild run shell stopsignal user volume workdir",
}

var makefile = Language{
	name: "makefile", line: hashes, quotes: []quote{double, single}, letters: "-.%", variables: true, assigned: true,
	keywords: "define else endef endif export ifdef ifeq ifndef ifneq include override",
}

var graphql = Language{
	name: "graphql", line: hashes, quotes: []quote{triple, double}, keys: true, decorators: true, variables: true,
	keywords: "directive enum extend fragment implements input interface mutation on query scalar schema subscription type union", types: "Boolean Float ID Int String true false null",
}

var protobuf = Language{
	name: "protobuf", line: slashes, block: starred, quotes: []quote{double, single},
	keywords: "enum extend extensions import map message oneof option optional package public repeated required reserved returns rpc service stream syntax to", types: "bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 string uint32 uint64 true false",
}

var elixir = Language{
	name: "elixir", line: hashes, quotes: []quote{triple, openDouble, {open: `'`, close: `'`}}, letters: "?!", calls: true, decorators: true, keys: true,
	keywords: "after alias and case catch cond def defdelegate defexception defguard defimpl defmacro defmodule defp defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue reraise super throw try unless unquote use when with", types: "true false nil self Enum Map String IO GenServer",
}

var haskell = Language{
	name: "haskell", line: []string{"--"}, block: []pair{{"{-", "-}"}}, quotes: []quote{double, char}, letters: "'",
	keywords: "as case class data default deriving do else exposing family forall foreign hiding if import in infix infixl infixr instance let mdo module newtype of port proc qualified rec then type where", types: "Bool Char Double Either Float IO Int Integer Just Left Maybe Nothing Right String True False",
}

var ocaml = Language{
	name: "ocaml", line: slashes, block: []pair{{"(*", "*)"}}, quotes: []quote{triple, openDouble, char}, letters: "'",
	keywords: "and as assert begin class constraint do done downto else end exception external for fun function functor if in include inherit initializer lazy let match member method module mutable namespace new nonrec object of open or override private rec sig static struct then to try type use val virtual when while with yield", types: "array bool char exn float int list option string unit true false None Some Ok Error",
}

var lisp = Language{
	name: "lisp", line: []string{";"}, block: []pair{{"#|", "|#"}}, quotes: []quote{openDouble}, letters: "-+*/<>=!?:.",
	keywords: "and case catch cond def defmacro defmethod defmulti defn defn- defonce defprotocol defrecord deftype defun defvar define do doseq else fn for if if-let import in-ns lambda let let* letrec loop match ns or progn quote recur require set! setq throw try unless use when when-let", types: "true false nil t",
}

var rLang = Language{
	name: "r", line: hashes, quotes: []quote{openDouble, openSingle}, letters: ".", calls: true,
	keywords: "break else for function if in next repeat return while library require", types: "TRUE FALSE NULL NA NaN Inf",
}

var julia = Language{
	name: "julia", line: hashes, block: []pair{{"#=", "=#"}}, quotes: []quote{triple, openDouble, char}, letters: "!", calls: true, decorators: true,
	keywords: "abstract baremodule begin break catch const continue do else elseif end export finally for function global if import in let local macro module mutable outer primitive public quote return struct try type using where while", types: "Any Bool Char Dict Float32 Float64 Int Int32 Int64 Nothing String Vector true false nothing missing",
}

var nix = Language{
	name: "nix", line: hashes, block: starred, quotes: []quote{{open: "''", close: "''", lines: true, raw: true}, openDouble}, letters: "-'",
	keywords: "assert else if import in inherit let or rec then with", types: "true false null builtins",
}
