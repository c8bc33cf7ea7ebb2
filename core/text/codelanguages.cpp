// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "text/codelanguages.h"

namespace Pilothouse {

namespace {

using Form = CodeLanguage::Form;
using Quote = CodeLanguage::Quote;
using Pair = CodeLanguage::Pair;

constexpr Pair CBlock{u"/*", u"*/"};
constexpr Quote Double{u"\"", true, false};
constexpr Quote Single{u"'", true, false};

constexpr std::array<CodeLanguage, 25> Table{{
    {.name = u"c++",
     .aliases = u" c cpp cxx cc h hpp hxx hh ino ",
     .lineComments = {u"//"},
     .blockComments = {CBlock},
     .quotes = {Double, Single},
     .words =
         u" alignas alignof asm auto bool break case catch char char8_t char16_t char32_t class co_await "
         u"co_return co_yield concept const consteval constexpr constinit const_cast continue decltype "
         u"default delete do double dynamic_cast else enum explicit export extern false final float for "
         u"friend goto if inline int long mutable namespace new noexcept nullptr operator override private "
         u"protected public register reinterpret_cast requires restrict return short signed sizeof static "
         u"static_assert static_cast struct switch template this thread_local throw true try typedef typeid "
         u"typename union unsigned using virtual void volatile wchar_t while ",
     .directives = true},
    {.name = u"python",
     .aliases = u" py py3 python3 pyw pyi ",
     .lineComments = {u"#"},
     .quotes = {Quote{u"\"\"\"", true, true}, Quote{u"'''", true, true}, Double, Single},
     .words = u" and as assert async await break case class continue def del elif else except False finally "
              u"for from global if import in is lambda match None nonlocal not or pass raise return self "
              u"True try while with yield ",
     .decorators = true},
    {.name = u"javascript",
     .aliases = u" js mjs cjs jsx typescript ts tsx mts cts node ",
     .lineComments = {u"//"},
     .blockComments = {CBlock},
     .quotes = {Double, Single, Quote{u"`", true, true}},
     .words = u" abstract any as async await boolean break case catch class const constructor continue "
              u"debugger declare default delete do else enum export extends false finally for from function "
              u"get if implements import in instanceof interface is keyof let namespace never new null "
              u"number object of private protected public readonly return satisfies set static string super "
              u"switch symbol this throw true try type typeof undefined unknown var void while yield ",
     .wordCharacters = u"$",
     .decorators = true},
    {.name = u"json",
     .aliases = u" jsonc json5 ndjson jsonl ",
     .lineComments = {u"//"},
     .blockComments = {CBlock},
     .quotes = {Double},
     .words = u" true false null "},
    {.name = u"bash",
     .aliases = u" sh shell zsh ksh console shellsession terminal bashrc ",
     .lineComments = {u"#"},
     .quotes = {Quote{u"\"", true, true}, Quote{u"'", false, true}},
     .words = u" alias break case cd continue declare do done echo elif else esac eval exec exit export fi "
              u"for function if in local printf read readonly return select set shift source test then trap "
              u"unset until while ",
     .wordCharacters = u"-",
     .commentsAfterSpace = true,
     .variables = true},
    {.name = u"rust",
     .aliases = u" rs ",
     .lineComments = {u"//"},
     .blockComments = {CBlock},
     .quotes = {Quote{u"\"", true, true}},
     .words = u" as async await bool box break char const continue crate dyn else enum extern f32 f64 false "
              u"fn for i8 i16 i32 i64 i128 if impl in isize let loop match mod move mut pub ref return Self "
              u"self static str String struct super trait true type u8 u16 u32 u64 u128 unsafe use usize "
              u"where while "},
    {.name = u"go",
     .aliases = u" golang ",
     .lineComments = {u"//"},
     .blockComments = {CBlock},
     .quotes = {Double, Single, Quote{u"`", false, true}},
     .words = u" any bool break byte case chan const continue default defer else error fallthrough false "
              u"float32 float64 for func go goto if import int int8 int16 int32 int64 interface map nil "
              u"package range return rune select string struct switch true type uint uint8 uint16 uint32 "
              u"uint64 var "},
    {.name = u"java",
     .aliases = u" groovy gradle scala ",
     .lineComments = {u"//"},
     .blockComments = {CBlock},
     .quotes = {Quote{u"\"\"\"", true, true}, Double, Single},
     .words = u" abstract assert boolean break byte case catch char class const continue default def do "
              u"double else enum extends false final finally float for if implements import instanceof int "
              u"interface long native new null object override package private protected public record "
              u"return sealed short static super switch synchronized this throw throws trait transient true "
              u"try val var void volatile while yield ",
     .decorators = true},
    {.name = u"kotlin",
     .aliases = u" kt kts ",
     .lineComments = {u"//"},
     .blockComments = {CBlock},
     .quotes = {Quote{u"\"\"\"", false, true}, Double, Single},
     .words = u" abstract as break by class companion const constructor continue data do else enum false "
              u"final for fun if import in init inline interface internal is lateinit null object open "
              u"override package private protected public return sealed super suspend this throw true try "
              u"typealias val var vararg when where while ",
     .decorators = true},
    {.name = u"swift",
     .aliases = u" ",
     .lineComments = {u"//"},
     .blockComments = {CBlock},
     .quotes = {Quote{u"\"\"\"", true, true}, Double},
     .words = u" actor as associatedtype async await break case catch class continue default defer do else "
              u"enum extension false fileprivate final for func guard if import in init inout internal is "
              u"lazy let mutating nil open operator override private protocol public repeat rethrows return "
              u"self Self some static struct subscript super switch throw throws true try typealias var "
              u"weak where while ",
     .decorators = true},
    {.name = u"c#",
     .aliases = u" cs csharp dotnet ",
     .lineComments = {u"//"},
     .blockComments = {CBlock},
     .quotes = {Quote{u"\"\"\"", false, true}, Double, Single},
     .words = u" abstract as async await base bool break byte case catch char class const continue decimal "
              u"default delegate do double else enum event explicit extern false finally fixed float for "
              u"foreach get goto if implicit in init int interface internal is lock long namespace new null "
              u"object operator out override params partial private protected public readonly record ref "
              u"return sbyte sealed set short sizeof static string struct switch this throw true try typeof "
              u"uint ulong unsafe ushort using var virtual void volatile when where while yield ",
     .directives = true},
    {.name = u"ruby",
     .aliases = u" rb rake gemfile ",
     .lineComments = {u"#"},
     .blockComments = {Pair{u"=begin", u"=end"}},
     .quotes = {Double, Single},
     .words = u" alias and begin break case class def defined? do else elsif end ensure extend false for if "
              u"in include module next nil not or private protected public raise redo require rescue retry "
              u"return self super then true undef unless until when while yield ",
     .wordCharacters = u"?!",
     .decorators = true},
    {.name = u"php",
     .aliases = u" php8 phtml ",
     .lineComments = {u"//", u"#"},
     .blockComments = {CBlock},
     .quotes = {Quote{u"\"", true, true}, Quote{u"'", true, true}},
     .words = u" abstract and array as break case catch class clone const continue declare default do echo "
              u"else elseif empty enum extends false final finally fn for foreach function global if "
              u"implements include instanceof interface isset list match namespace new null or print private "
              u"protected public readonly require return self static switch this throw trait true try unset "
              u"use var while yield ",
     .variables = true},
    {.name = u"sql",
     .aliases = u" sqlite postgresql postgres mysql plsql psql ",
     .lineComments = {u"--"},
     .blockComments = {CBlock},
     .quotes = {Quote{u"'", false, true}, Quote{u"\"", false, false}, Quote{u"`", false, false}},
     .words =
         u" add all alter and any as asc begin between by cascade case cast check column commit constraint "
         u"create cross database default delete desc distinct drop else end exists explain false foreign "
         u"from "
         u"full function group having if in index inner insert into is join key left like limit not null "
         u"offset on or order outer over partition primary references replace returning right rollback "
         u"select set table then to transaction trigger true truncate union unique update using values view "
         u"when where with int integer bigint text varchar boolean timestamp date numeric real blob serial ",
     .anyCase = true},
    {.name = u"html",
     .aliases = u" htm xml xhtml svg vue qrc ui plist xsd xsl ",
     .form = Form::Markup,
     .blockComments = {Pair{u"<!--", u"-->"}},
     .quotes = {Quote{u"\"", false, true}, Quote{u"'", false, true}}},
    {.name = u"css",
     .aliases = u" scss less sass qss ",
     .form = Form::Keys,
     .lineComments = {u"//"},
     .blockComments = {CBlock},
     .quotes = {Double, Single},
     .words = u" auto block flex grid important inherit initial inline none unset ",
     .wordCharacters = u"-",
     .commentsAfterSpace = true,
     .decorators = true},
    {.name = u"yaml",
     .aliases = u" yml ",
     .form = Form::Keys,
     .lineComments = {u"#"},
     .quotes = {Double, Quote{u"'", false, false}},
     .words = u" true false null yes no on off ",
     .wordCharacters = u"-.",
     .commentsAfterSpace = true},
    {.name = u"toml",
     .aliases = u" ini cfg conf properties env editorconfig desktop service ",
     .form = Form::Keys,
     .lineComments = {u"#", u";"},
     .quotes = {Quote{u"\"\"\"", true, true}, Quote{u"'''", false, true}, Double, Quote{u"'", false, false}},
     .words = u" true false inf nan ",
     .wordCharacters = u"-.",
     .commentsAfterSpace = true},
    {.name = u"dockerfile",
     .aliases = u" docker containerfile ",
     .lineComments = {u"#"},
     .quotes = {Double, Single},
     .words = u" add arg as cmd copy entrypoint env expose from healthcheck label maintainer onbuild run "
              u"shell stopsignal user volume workdir ",
     .anyCase = true,
     .wordCharacters = u"-",
     .commentsAfterSpace = true,
     .variables = true},
    {.name = u"makefile",
     .aliases = u" make mk mak gnumakefile ",
     .form = Form::Keys,
     .lineComments = {u"#"},
     .quotes = {Double, Single},
     .words = u" define else endef endif export ifdef ifeq ifndef ifneq include override unexport vpath ",
     .wordCharacters = u"-.%",
     .commentsAfterSpace = true,
     .variables = true},
    {.name = u"cmake",
     .aliases = u" cmakelists.txt ",
     .lineComments = {u"#"},
     .blockComments = {Pair{u"#[[", u"]]"}},
     .quotes = {Quote{u"\"", true, true}},
     .words = u" break continue else elseif endforeach endfunction endif endmacro endwhile foreach function "
              u"if include macro return set unset while and or not on off true false strequal matches exists "
              u"private public interface ",
     .anyCase = true,
     .variables = true},
    {.name = u"lua",
     .aliases = u" ",
     .lineComments = {u"--"},
     .blockComments = {Pair{u"--[[", u"]]"}},
     .quotes = {Double, Single},
     .words = u" and break do else elseif end false for function goto if in local nil not or repeat return "
              u"then true until while "},
    {.name = u"perl",
     .aliases = u" pl pm r julia jl elixir ex exs ",
     .lineComments = {u"#"},
     .quotes = {Double, Single},
     .words = u" and case def defmodule do else elsif end eval false for foreach fn function if in last let "
              u"library my next not null or our package print return source struct sub then true undef "
              u"unless until use using when while ",
     .variables = true},
    {.name = u"diff", .aliases = u" patch udiff ", .form = Form::Diff},
    {.name = u"haskell",
     .aliases = u" hs ocaml ml fsharp fs elm nix ",
     .lineComments = {u"--"},
     .blockComments = {Pair{u"{-", u"-}"}, Pair{u"(*", u"*)"}},
     .quotes = {Double},
     .words =
         u" as case class data deriving do else end false forall fun function if import in infix inherit "
         u"instance let match module newtype of open rec then true type val where with ",
     .wordCharacters = u"'"},
}};

} // namespace

std::span<const CodeLanguage> codeLanguages() { return Table; }

} // namespace Pilothouse
